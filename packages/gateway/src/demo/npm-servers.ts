import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A real MCP server of the npm registry that works without a network. */
interface NpmServer {
  readonly id: string
  readonly package: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** An entry of `mcpServers`. */
export interface DemoServer {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** The real servers of the demo that are installed, by id, and the ids of those that are not. */
export function npmServers(folders: { readonly files: string; readonly data: string }): {
  readonly found: Readonly<Record<string, DemoServer>>
  readonly missing: readonly string[]
} {
  const wanted: readonly NpmServer[] = [
    { id: 'filesystem', package: '@modelcontextprotocol/server-filesystem', args: [folders.files], env: {} },
    {
      id: 'memory',
      package: '@modelcontextprotocol/server-memory',
      args: [],
      env: { MEMORY_FILE_PATH: join(folders.data, 'memory.jsonl') },
    },
    { id: 'everything', package: '@modelcontextprotocol/server-everything', args: [], env: {} },
    { id: 'sequential-thinking', package: '@modelcontextprotocol/server-sequential-thinking', args: [], env: {} },
  ]
  const found: Record<string, DemoServer> = {}
  const missing: string[] = []
  for (const { id, package: name, args, env } of wanted) {
    const program = programOf(name)
    if (program === undefined) missing.push(id)
    else found[id] = { command: process.execPath, args: [program, ...args], env }
  }
  return { found, missing }
}

/** The script that a package's command runs, if the package is installed. */
function programOf(name: string): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin?: string | Record<string, string> }
    const script = typeof bin === 'string' ? bin : Object.values(bin ?? {})[0]
    return script === undefined ? undefined : join(dirname(manifest), script)
  } catch {
    return undefined
  }
}
