import { describe, expect, it } from 'vitest'
import { isSameBackend, readBackend, type ToolBackend } from './tool-backend.ts'

const MCP: ToolBackend = { kind: 'mcp', serverName: 'github' }
const PROVIDER: ToolBackend = { kind: 'provider', providerId: 'acme', toolId: 't1' }
const LOCAL: ToolBackend = { kind: 'local', name: 'clock' }

describe('readBackend', () => {
  it.each([MCP, PROVIDER, LOCAL])('copies %j', (backend) => {
    expect(readBackend(backend)).toEqual(backend)
  })

  it.each([
    [{ kind: 'mcp' }, 'serverName'],
    [{ kind: 'mcp', serverName: '' }, 'serverName'],
    [{ kind: 'mcp', serverName: '  ' }, 'serverName'],
    [{ kind: 'mcp', serverName: 7 }, 'serverName'],
    [{ kind: 'provider', toolId: 't1' }, 'providerId'],
    [{ kind: 'provider', providerId: 'acme' }, 'toolId'],
    [{ kind: 'local' }, 'name'],
    [{ kind: 'carrier-pigeon' }, 'kind'],
    [{ kind: 'constructor' }, 'kind'],
    [{}, 'kind'],
    [[], 'kind'],
    [null, 'backend'],
    [undefined, 'backend'],
    ['mcp', 'backend'],
  ])('[T5] refuses %j and names %s', (backend, field) => {
    const named = { code: 'INVALID_BACKEND', details: expect.objectContaining({ field }) }
    expect(() => readBackend(backend)).toThrow(expect.objectContaining(named))
  })

  it('[T5] answers by code when reading it throws', () => {
    const hostile = {
      get kind() {
        throw new TypeError('no')
      },
    }
    expect(() => readBackend(hostile)).toThrow(expect.objectContaining({ code: 'INVALID_BACKEND' }))
  })
})

describe('isSameBackend', () => {
  it('compares all fields of a kind', () => {
    const all = [
      MCP,
      PROVIDER,
      LOCAL,
      { ...MCP, serverName: 'x' },
      { ...PROVIDER, toolId: 't2' },
      { ...LOCAL, name: 'x' },
    ]
    for (const [i, a] of all.entries()) {
      for (const [j, b] of all.entries()) expect(isSameBackend(a, { ...b })).toBe(i === j)
    }
  })
})
