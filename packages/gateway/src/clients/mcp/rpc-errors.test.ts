import { describe, expect, it } from 'vitest'
import { GATEWAY_ERROR_CODES, GatewayError, ServerReplyError } from '../../errors.ts'
import { LogLines } from '../http/listener.case.ts'
import { RpcError } from './requests/request-handler.ts'
import { gatewayFailure, httpStatusOf, rpcFailure } from './rpc-errors.ts'

const CONTEXT = { requestId: 'r-1', method: 'tools/call' }

describe('Errors on the wire', () => {
  it.each(GATEWAY_ERROR_CODES)('has a JSON-RPC code and an HTTP status for %s', (code) => {
    const failure = gatewayFailure(new GatewayError(code, { server: 'files', remedy: 'Do this' }))
    expect(failure.data).toEqual({ code, server: 'files', remedy: 'Do this' })
    expect(failure.message).toContain('Do this')
    expect(httpStatusOf(code)).toBeGreaterThanOrEqual(400)
  })

  it('keeps the codes of the gateway unique and out of the range of JSON-RPC', () => {
    const codes = GATEWAY_ERROR_CODES.map((code) => gatewayFailure(new GatewayError(code)).code)
    const ours = codes.filter((code) => code > -32_000)
    expect(new Set(ours).size).toBe(ours.length)
    const theirs = [...new Set(codes.filter((code) => code <= -32_000))].sort()
    expect(theirs).toEqual([-32001, -32600, -32602, -32603])
  })

  it('passes on errors of servers and of the protocol', () => {
    const log = new LogLines()
    expect(rpcFailure(new ServerReplyError(-5, 'theirs', { a: 1 }), CONTEXT, log)).toEqual({
      code: -5,
      message: 'theirs',
      data: { a: 1 },
    })
    expect(rpcFailure(new RpcError(-32601, 'No method'), CONTEXT, log)).toEqual({ code: -32601, message: 'No method' })
    expect(rpcFailure(new ServerReplyError(-32002, 'missing'), CONTEXT, log).code).toBe(-32602)
    expect(log.lines).toEqual([])
  })

  it.each([new Error('secret words'), 'secret words', undefined, { secret: 'words' }])(
    'tells nothing of %s',
    (error) => {
      const log = new LogLines()
      const failure = rpcFailure(error, CONTEXT, log)
      expect(failure).toMatchObject({ code: -32603, data: { code: 'INTERNAL', requestId: 'r-1' } })
      expect(JSON.stringify([failure, log.lines])).not.toContain('secret words')
      expect(log.lines[0]).toContain('r-1')
    },
  )
})
