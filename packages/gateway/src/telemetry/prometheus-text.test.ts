import { Registry, Histogram as TheirHistogram, Counter, Gauge } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { Histogram, Values } from './prometheus-text.ts'

const NASTY = ['a', 'a"b\\c\nd', '', '日本', '__proto__', 'constructor']
const lines = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .toSorted()

describe('the text format', () => {
  it('equals the output of the Prometheus client library for any labels', async () => {
    const registers = [new Registry()] as const
    const theirs = {
      counter: new Counter({ name: 'c_total', help: 'Counted.', labelNames: ['of', 'how'], registers: [...registers] }),
      gauge: new Gauge({ name: 'g', help: 'Set.', labelNames: ['of'], registers: [...registers] }),
      plain: new Gauge({ name: 'p', help: 'Without labels.', registers: [...registers] }),
      histogram: new TheirHistogram({
        name: 'h_seconds',
        help: 'Timed.',
        labelNames: ['of'],
        buckets: [0.1, 1, 2.5],
        registers: [...registers],
      }),
    }
    const ours = {
      counter: new Values('counter', 'c_total', 'Counted.'),
      gauge: new Values('gauge', 'g', 'Set.'),
      plain: new Values('gauge', 'p', 'Without labels.'),
      histogram: new Histogram('h_seconds', 'Timed.', [0.1, 1, 2.5]),
    }
    for (const of of NASTY) {
      for (const how of ['ok', 'ok', 'failed']) {
        theirs.counter.inc({ of, how })
        ours.counter.add({ of, how })
      }
      theirs.gauge.set({ of }, of.length)
      ours.gauge.set({ of }, of.length)
      for (const seconds of [0, 0.1, 0.5, 1, 2.5, 3, 1e6]) {
        theirs.histogram.observe({ of }, seconds)
        ours.histogram.observe({ of }, seconds)
      }
    }
    theirs.plain.set(171)
    ours.plain.set({}, 171)
    const text = Object.values(ours).map((metric) => metric.text())
    expect(lines(text.join(''))).toEqual(lines(await registers[0].metrics()))
  })

  it('forgets what is cleared', () => {
    const gauge = new Values('gauge', 'g', 'Set.')
    gauge.set({ of: 'a' }, 1)
    gauge.clear()
    expect(gauge.text()).toBe('# HELP g Set.\n# TYPE g gauge\n')
  })
})
