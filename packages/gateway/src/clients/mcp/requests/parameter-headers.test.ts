import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { field } from '../../../servers/protocol/header-parameters.ts'
import { ParameterHeaders } from './parameter-headers.ts'

const TOOL = {
  name: 'deploy',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      deep: { type: 'object', properties: { size: { type: 'integer', 'x-mcp-header': 'Size' } } },
      free: { type: 'string' },
    },
  },
}
const BASE64 = Buffer.from('Malmö').toString('base64')

function mistake(args: Record<string, unknown>, headers: Record<string, string> | undefined, mayBeMissing = false) {
  const said = headers && new Map(Object.entries(headers))
  try {
    new ParameterHeaders().check(TOOL, args, { headers: said, mayBeMissing })
    return undefined
  } catch (error) {
    return error
  }
}

describe('ParameterHeaders', () => {
  it.each([
    [{ region: 'eu' }, { region: 'eu' }],
    [{ region: 'Malmö' }, { region: `=?base64?${BASE64}?=` }],
    [{ region: BASE64 }, { region: BASE64 }],
    [{ region: '=?base64?SGVsbG8=' }, { region: '=?base64?SGVsbG8=' }],
    [{ deep: { size: 3 }, free: 'x' }, { size: '3' }],
    [{ region: null }, {}],
    [{}, { unknown: 'x' }],
  ])('takes %j with %j', (args, headers) => {
    expect(mistake(args, headers)).toBeUndefined()
  })

  it.each([
    [{ region: 'eu' }, {}],
    [{ region: 'eu' }, { region: 'us' }],
    [{}, { region: 'eu' }],
    [{ region: 'Hello' }, { region: '=?base64?SGVsbG8?=' }],
    [{ region: 'Hello' }, { region: '=?base64?SGVs!!!bG8=?=' }],
    [{ deep: { size: 3 } }, { size: '4' }],
  ])('refuses %j with %j', (args, headers) => {
    expect(mistake(args, headers)).toMatchObject({ rpcCode: -32020, data: { code: 'REQUEST_INVALID' } })
  })

  it('checks nothing for eras and transports without such headers', () => {
    expect(mistake({ region: 'eu' }, undefined)).toBeUndefined()
  })

  it('accepts missing headers of a tool that was not listed, but no wrong ones', () => {
    expect(mistake({ region: 'eu' }, {}, true)).toBeUndefined()
    expect(mistake({ region: 'eu' }, { region: 'us' }, true)).toMatchObject({ rpcCode: -32020 })
  })

  it('reads every text that the gateway would write itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (region) => {
        expect(mistake({ region }, { region: field(region) })).toBeUndefined()
      }),
    )
  })
})
