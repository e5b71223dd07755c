import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { childOf, traceContextIn, withTraceContext } from './trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

describe('trace context', () => {
  it('is read from the _meta of a client', () => {
    const traceparent = `00-${TRACE}-${SPAN}-01`
    expect(traceContextIn({ traceparent, tracestate: 'a=1' })).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      isSampled: true,
      state: 'a=1',
    })
    expect(traceContextIn({ traceparent: `00-${TRACE}-${SPAN}-00` })).toMatchObject({ isSampled: false })
    expect(traceContextIn({ traceparent: `cc-${TRACE}-${SPAN}-03-from-the-future` })).toMatchObject({ isSampled: true })
  })

  it.each([
    ['nothing', undefined],
    ['no text', 7],
    ['no version', `${TRACE}-${SPAN}-01`],
    ['the forbidden version', `ff-${TRACE}-${SPAN}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['a line more', `00-${TRACE}-${SPAN}-01\nx`],
  ])('is absent for %s', (_, traceparent) => {
    expect(traceContextIn({ traceparent, tracestate: 'a=1' })).toBeUndefined()
  })

  it('is absent or valid for any text of a client', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (traceparent, tracestate) => {
        const found = traceContextIn({ traceparent, tracestate })
        expect(found === undefined || /^[0-9a-f]{32}$/.test(found.traceId)).toBe(true)
      }),
    )
  })

  it('is handed on with a span of its own in the same trace, and nothing else changed', () => {
    const given = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'a=1', baggage: 'b=2' }
    const child = childOf(traceContextIn(given))
    expect(child.spanId).not.toBe(SPAN)
    expect(withTraceContext(given, child)).toEqual({ ...given, traceparent: `00-${TRACE}-${child.spanId}-01` })
  })

  it('begins a trace where there is none, without the state of an invalid one', () => {
    const given = { traceparent: 'nonsense', tracestate: 'a=1' }
    const child = childOf(traceContextIn(given))
    const { traceparent, ...rest } = withTraceContext(given, child)
    expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    expect(rest).toEqual({})
  })
})
