import { describe, expect, it } from 'vitest'
import { Cancellation } from './cancellation.ts'

const ENOUGH = new Error('enough')

describe('Cancellation', () => {
  it('calls the latest listener, once', () => {
    const [first, second]: [Error[], Error[]] = [[], []]
    const cancellation = new Cancellation()
    cancellation.onCancel((reason) => first.push(reason))
    cancellation.onCancel((reason) => second.push(reason))
    expect(cancellation.isCancelled).toBe(false)
    cancellation.cancel(ENOUGH)
    cancellation.cancel(new Error('again'))
    expect([first, second]).toEqual([[], [ENOUGH]])
    expect(cancellation).toMatchObject({ isCancelled: true, reason: ENOUGH })
  })

  it('calls a late listener at once', () => {
    const cancellation = new Cancellation()
    cancellation.cancel(ENOUGH)
    const reasons: Error[] = []
    cancellation.onCancel((reason) => reasons.push(reason))
    expect(reasons).toEqual([ENOUGH])
  })

  it('follows a signal, also one that has fired', () => {
    const controller = new AbortController()
    const cancellation = Cancellation.by(controller.signal)
    controller.abort(ENOUGH)
    expect(cancellation.reason).toBe(ENOUGH)
    expect(Cancellation.by(controller.signal).reason).toBe(ENOUGH)
  })
})
