import { describe, expect, it } from 'vitest'
import { preferBackends, type ToolBackend } from './tool-backend.ts'

const TOOL = { id: 'x', name: 'x' }
const MCP: ToolBackend = { kind: 'mcp', serverName: 'a' }
const OTHER_MCP: ToolBackend = { kind: 'mcp', serverName: 'b' }
const LOCAL: ToolBackend = { kind: 'local', name: 'c' }

describe('preferBackends', () => {
  it('[T6] takes kinds in the order given', () => {
    expect(preferBackends('local', 'mcp')([MCP, LOCAL], TOOL)).toBe(LOCAL)
    expect(preferBackends('mcp', 'local')([LOCAL, MCP], TOOL)).toBe(MCP)
  })

  it('[T6] takes the first registered within one kind, and of kinds that it does not know', () => {
    expect(preferBackends('mcp')([LOCAL, OTHER_MCP, MCP], TOOL)).toBe(OTHER_MCP)
    expect(preferBackends('provider')([MCP, LOCAL], TOOL)).toBe(MCP)
  })
})
