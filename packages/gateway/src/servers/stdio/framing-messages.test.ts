import { describe, expect, it } from 'vitest'
import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from '@modelcontextprotocol/client'
import fc from 'fast-check'
import { readMessage } from './framing.ts'

describe('readMessage', () => {
  it('takes replies, requests and notifications as they are', () => {
    for (const message of [
      { jsonrpc: '2.0', id: 1, result: { content: [] } },
      { jsonrpc: '2.0', id: 'a', error: { code: -32_601, message: 'no', data: { more: 1 } } },
      { jsonrpc: '2.0', id: 0, method: 'roots/list' },
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } },
    ]) {
      expect(readMessage(message)).toEqual({ kind: 'message', message })
    }
  })

  it('takes what is clear although the protocol library would refuse it', () => {
    expect(readMessage({ jsonrpc: '2.0', id: 1, result: {}, error: null, took: 3 })).toEqual({
      kind: 'message',
      message: { jsonrpc: '2.0', id: 1, result: {} },
    })
    expect(readMessage({ jsonrpc: '2.0', id: null, error: { code: 1, message: 'what?' } })).toEqual({
      kind: 'message',
      message: { jsonrpc: '2.0', error: { code: 1, message: 'what?' } },
    })
    expect(readMessage({ jsonrpc: '2.0', method: 'x', params: null })).toEqual({
      kind: 'message',
      message: { jsonrpc: '2.0', method: 'x' },
    })
  })

  it('tells a reply of the wrong shape from what is no message', () => {
    for (const rest of [{}, { result: 'text' }, { result: null }, { result: {}, error: {} }, { error: 'failed' }]) {
      expect(readMessage({ jsonrpc: '2.0', id: 4, ...rest })).toEqual({ kind: 'bad-reply', id: 4 })
    }
    for (const value of [null, 3, 'text', [], {}, { level: 'info', id: 4 }, { jsonrpc: '1.0', id: 4, result: {} }]) {
      expect(readMessage(value)).toEqual({ kind: 'other' })
    }
  })

  it('hands on nothing that the protocol library refuses', () => {
    const anything = fc.record(
      {
        jsonrpc: fc.constant('2.0'),
        id: fc.oneof(fc.integer(), fc.string(), fc.double(), fc.constant(null)),
        method: fc.oneof(fc.string(), fc.integer()),
        params: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
        result: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
        error: fc.oneof(fc.record({ code: fc.oneof(fc.integer(), fc.double()), message: fc.string() }), fc.jsonValue()),
        extra: fc.jsonValue(),
      },
      { requiredKeys: ['jsonrpc'] },
    )
    fc.assert(
      fc.property(anything, (value) => {
        const reading = readMessage(value)
        if (reading.kind !== 'message') return
        const { message } = reading
        expect(isJSONRPCResponse(message) || isJSONRPCRequest(message) || isJSONRPCNotification(message)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
