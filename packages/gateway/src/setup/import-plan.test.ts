import { describe, expect, it } from 'vitest'
import { importPlan, type SourceFile } from './import-plan.ts'
import { readServers } from './read-servers.ts'

const sources = { variables: { DIR: '/notes' }, home: '/srv/mia' }

function file(client: string, path: string, mcpServers: object): SourceFile {
  const text = JSON.stringify({ mcpServers })
  return { client, path, read: readServers({ text, client, scope: 'user', name: path, surroundings: {}, sources }) }
}

describe('importPlan', () => {
  it('makes one server of the same server in several files, however each writes it', () => {
    const plan = importPlan(
      [
        file('claude-code', '/a', { notes: { command: 'n', args: ['${DIR}'] } }),
        file('gemini-cli', '/b', { Notizen: { command: 'n', args: ['$DIR'] } }),
      ],
      { sources },
    )
    expect(plan).toMatchObject([{ id: 'notes', origins: [{ client: 'claude-code' }, { client: 'gemini-cli' }] }])
  })

  it('keeps servers apart that differ, or that one file names twice', () => {
    const plan = importPlan(
      [
        file('cursor', '/a', { x: { command: 'n' }, y: { command: 'n' } }),
        file('junie', '/b', { x: { command: 'other' } }),
      ],
      { sources },
    )
    expect(plan.map(({ id }) => id)).toEqual(['x', 'y', 'x-junie'])
  })

  it('is on if any client has it on, and leaves out entries that lead here', () => {
    const plan = importPlan(
      [
        file('cline', '/a', { x: { command: 'n', disabled: true } }),
        file('cursor', '/b', { x: { command: 'n' }, tooldex: { url: 'http://127.0.0.1:7420/mcp' } }),
        file('junie', '/c', { gate: { command: '/usr/bin/tooldex', args: ['stdio'] } }),
      ],
      { sources, gatewayUrl: 'http://127.0.0.1:7420/mcp' },
    )
    expect(plan).toHaveLength(1)
    expect(plan[0]?.config).not.toHaveProperty('enabled')
  })
})
