import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatToolKey, parseToolKey, toolKeyParts } from './tool-key.ts'

describe('tool keys', () => {
  it('are parsed into the parts that they were formatted from', () => {
    const id = fc.string({ minLength: 1 }).filter((text) => !text.includes(':'))
    fc.assert(
      fc.property(id, fc.string({ minLength: 1 }), (serverId, toolName) => {
        expect(parseToolKey(formatToolKey(serverId, toolName))).toEqual({ serverId, toolName })
      }),
    )
  })

  it('are split at the first colon', () => {
    expect(parseToolKey('a:b:c')).toEqual({ serverId: 'a', toolName: 'b:c' })
  })

  it.each(['', ':', 'a', 'a:', ':b'])('%j is not a tool key', (text) => {
    expect(() => parseToolKey(text)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENTS' }))
  })

  it.each(['', 'memory', ':b'])('%j names no server', (text) => {
    expect(toolKeyParts(text).serverId).toBe('')
  })

  it.each([
    ['', 't'],
    ['s', ''],
    ['a:b', 't'],
  ])('cannot be formatted from %j and %j', (serverId, toolName) => {
    expect(() => formatToolKey(serverId, toolName)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENTS' }))
  })
})
