import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatToolKey, parseToolKey, toolIdOf } from './tool-key.ts'

describe('parseToolKey', () => {
  it('splits at the first colon, so that tool names may have one', () => {
    expect(parseToolKey('github:issues:create')).toEqual({ serverId: 'github', toolName: 'issues:create' })
  })

  it.each(['', ':', 'github', 'github:', ':create', 42, null, undefined, {}])('[T3] refuses %j by code', (text) => {
    expect(() => parseToolKey(text as string)).toThrow(expect.objectContaining({ code: 'INVALID_TOOL_KEY' }))
  })
})

describe('formatToolKey', () => {
  it('is undone by parseToolKey', () => {
    const serverId = fc.string({ minLength: 1 }).filter((text) => !text.includes(':'))
    fc.assert(
      fc.property(serverId, fc.string({ minLength: 1 }), (server, tool) => {
        const parts = { serverId: server, toolName: tool }
        expect(parseToolKey(formatToolKey(parts))).toEqual(parts)
      }),
    )
  })

  it.each([
    { serverId: '', toolName: 'create' },
    { serverId: 'github', toolName: '' },
    { serverId: 'git:hub', toolName: 'create' },
  ])('refuses %j', (parts) => {
    expect(() => formatToolKey(parts)).toThrow(expect.objectContaining({ code: 'INVALID_TOOL_KEY' }))
  })
})

describe('toolIdOf', () => {
  it('is the tool key, or the name alone without a namespace', () => {
    expect(toolIdOf('github', 'create_issue')).toBe('github:create_issue')
    expect(toolIdOf(undefined, 'create_issue')).toBe('create_issue')
  })
})
