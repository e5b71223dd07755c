import { describe, expect, it, vi } from 'vitest'
import { factsIn, startCollector } from './collector.case.ts'
import { openTracing } from './open-tracing.ts'
import { OtlpTracing } from './otlp-tracing.ts'
import { silentLogger } from './logger.ts'

const PARENT = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tracestate: 'a=1' }

/** Tracing that sends when it is stopped, or when many wait. */
function tracingTo(url: string, options: { delayMs?: number } = {}) {
  const logger = { warn: vi.fn<(...args: unknown[]) => void>(), info: vi.fn<(...args: unknown[]) => void>() }
  const about = { url: `${url}/v1/traces`, headers: { 'x-key': 'k' }, serviceName: 'mine', version: '1.2.3' }
  return { tracing: new OtlpTracing({ ...about, logger, fetch, delayMs: 60_000, ...options }), logger }
}

describe('OtlpTracing', () => {
  it('sends what was done, as part of the client’s trace', async () => {
    await using collector = await startCollector()
    const { tracing } = tracingTo(collector.url)
    const span = tracing.begin('tools/call a:b', PARENT, { 'tooldex.tool': 'a:b', 'tooldex.count': 3 })
    const onward = span.onward({ ...PARENT, other: 1 })
    span.end('ok', { 'tooldex.late': 'yes' })
    tracing.begin('search', {}, {}).end('SERVER_TIMEOUT')
    await tracing.stop()

    expect(collector.requests).toHaveLength(1)
    expect(collector.requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'x-key': 'k', 'content-type': 'application/json' },
    })
    expect(collector.resources()).toEqual([{ 'service.name': 'mine', 'service.version': '1.2.3' }])
    const [called, searched] = collector.spans()
    expect(called).toMatchObject({
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      parentSpanId: '00f067aa0ba902b7',
      traceState: 'a=1',
      name: 'tools/call a:b',
      kind: 2,
      status: {},
    })
    expect(called && factsIn(called)).toEqual({
      'tooldex.tool': 'a:b',
      'tooldex.count': '3',
      'tooldex.late': 'yes',
      'tooldex.outcome': 'ok',
    })
    expect(onward).toEqual({
      traceparent: `00-4bf92f3577b34da6a3ce929d0e0e4736-${called?.spanId}-01`,
      tracestate: 'a=1',
      other: 1,
    })
    const took = BigInt(called?.endTimeUnixNano ?? 0) - BigInt(called?.startTimeUnixNano ?? 0)
    expect(took >= 0n && took < 60_000_000_000n).toBe(true)
    expect(searched).toMatchObject({ name: 'search', status: { code: 2, message: 'SERVER_TIMEOUT' } })
    expect(searched).not.toHaveProperty('parentSpanId')
    expect(searched?.traceId).not.toBe(called?.traceId)
  })

  it('leaves out unsampled traces, and passes the flag on to servers', async () => {
    await using collector = await startCollector()
    const { tracing } = tracingTo(collector.url)
    const meta = { traceparent: PARENT.traceparent.replace(/01$/, '00') }
    const span = tracing.begin('search', meta, {})
    span.end('ok')
    await tracing.stop()
    expect(collector.requests).toEqual([])
    expect(span.onward(meta)['traceparent']).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-00$/)
  })

  it('sends by itself, after a while or as soon as many wait', async () => {
    await using collector = await startCollector()
    const quick = tracingTo(collector.url, { delayMs: 1 })
    quick.tracing.begin('one', {}, {}).end('ok')
    await expect.poll(() => collector.spans().length).toBe(1)
    const slow = tracingTo(collector.url)
    for (let count = 0; count < 600; count++) slow.tracing.begin('many', {}, {}).end('ok')
    await expect.poll(() => collector.spans().length).toBeGreaterThanOrEqual(513)
    await slow.tracing.stop()
    expect(collector.spans()).toHaveLength(601)
  })

  it('drops undeliverable spans, and logs the begin and the end of that once', async () => {
    await using collector = await startCollector()
    collector.status = 503
    const { tracing, logger } = tracingTo(collector.url, { delayMs: 1 })
    for (const expected of [1, 2, 3]) {
      tracing.begin('lost', {}, {}).end('ok')
      await expect.poll(() => collector.requests.length).toBe(expected)
    }
    collector.status = 200
    await expect
      .poll(async () => {
        tracing.begin('kept', {}, {}).end('ok')
        return logger.info.mock.calls.length
      })
      .toBe(1)
    expect(logger.warn.mock.calls).toEqual([[{ reason: 'it answered HTTP 503' }, expect.stringContaining('OTLP')]])
    await tracing.stop()
  })

  it('keeps a bounded number for a collector that does not answer', async () => {
    await using collector = await startCollector()
    collector.isStuck = true
    const { tracing } = tracingTo(collector.url)
    for (let count = 0; count < 20_000; count++) tracing.begin('many', {}, {}).end('ok')
    await expect.poll(() => collector.requests.length).toBe(1)
    collector.free()
    await tracing.stop()
    expect(collector.spans()).toHaveLength(512 + 2_048)
  })

  it('does not wait at the end for a collector that does not answer', async () => {
    await using collector = await startCollector()
    collector.isStuck = true
    const { tracing } = tracingTo(collector.url)
    for (let count = 0; count < 600; count++) tracing.begin('many', {}, {}).end('ok')
    await expect(tracing.stop()).resolves.toBeUndefined()
  })

  it('works without a collector', async () => {
    const { tracing, logger } = tracingTo('http://127.0.0.1:1')
    tracing.begin('lost', {}, {}).end('ok')
    await tracing.stop()
    expect(logger.warn).toHaveBeenCalledTimes(1)
  })
})

describe('openTracing', () => {
  const parts = { version: '1', logger: silentLogger(), fetch }

  it('traces nothing without a collector: trace contexts are passed on unchanged', async () => {
    const { tracing, stop } = await openTracing(undefined, parts)
    const span = tracing.begin('search', PARENT, {})
    expect(span.onward(PARENT)).toBe(PARENT)
    span.end('ok')
    await stop()
  })

  it('logs an invalid address', async () => {
    const warn = vi.fn<(...args: unknown[]) => void>()
    for (const url of ['collector:4317/v1/traces', '', 'file:///etc/passwd']) {
      const logger = { ...parts.logger, warn }
      const { tracing } = await openTracing({ url, headers: {}, serviceName: 's' }, { ...parts, logger })
      expect(tracing.begin('x', PARENT, {}).onward(PARENT)).toBe(PARENT)
    }
    expect(warn).toHaveBeenCalledTimes(3)
  })
})
