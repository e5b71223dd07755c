import { describe, expect, it } from 'vitest'
import { call } from '../fixtures/pool.case.ts'
import { HeaderParameters } from './header-parameters.ts'

function learned(properties: Record<string, unknown>): HeaderParameters {
  const parameters = new HeaderParameters()
  parameters.learn({ tools: [{ name: 't', inputSchema: { type: 'object', properties } }, null, { name: 7 }] })
  return parameters
}

describe('HeaderParameters', () => {
  it('repeats annotated arguments, nested ones included, and nothing else', () => {
    const nested = { type: 'object', properties: { b: { type: 'integer', 'x-mcp-header': 'B' } } }
    const parameters = learned({ a: { type: 'string', 'x-mcp-header': 'A' }, nested, c: { type: 'string' } })
    expect(parameters.of(call('t', { a: 'x', nested: { b: 2 }, c: 'y' }))).toEqual({
      'Mcp-Param-A': 'x',
      'Mcp-Param-B': '2',
    })
    expect(parameters.of(call('t', {}))).toEqual({})
    expect(parameters.of(call('other', { a: 'x' }))).toBeUndefined()
    expect(parameters.of({ method: 'tools/list' })).toBeUndefined()
  })

  it.each(['ä', ' x', '', 'a\r\nb: c', '=?base64?eA==?='])('marks %j as Base64', (value) => {
    const headers = learned({ a: { type: 'string', 'x-mcp-header': 'A' } }).of(call('t', { a: value }))
    expect(headers).toEqual({ 'Mcp-Param-A': `=?base64?${Buffer.from(value).toString('base64')}?=` })
  })

  it('ignores header names that are none, and values that are no scalars', () => {
    const properties = { a: { 'x-mcp-header': 'A: b' }, b: { 'x-mcp-header': 'B' } }
    expect(learned(properties).of(call('t', { a: 'x', b: { c: 1 } }))).toEqual({})
  })

  it('forgets a tool that no longer asks for it', () => {
    const parameters = learned({ a: { type: 'string', 'x-mcp-header': 'A' } })
    parameters.learn({ tools: [{ name: 't', inputSchema: {} }] })
    expect(parameters.of(call('t', { a: 'x' }))).toBeUndefined()
  })
})
