import { join } from 'node:path'
import { ROOT } from '../../scripts/packages.ts'

/** Real MCP servers from npm that work offline. */
export function realServers(): Readonly<Record<string, { command: string; args: string[] }>> {
  const entry = (name: string): { command: string; args: string[] } => ({
    command: process.execPath,
    args: [join(ROOT, 'node_modules', '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js')],
  })
  return { memory: entry('memory'), everything: entry('everything') }
}
