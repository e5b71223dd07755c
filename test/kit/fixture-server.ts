import { fileURLToPath } from 'node:url'

/** How a tool of a fixture server answers; by default it echoes its name and arguments as JSON. */
export type FixtureAnswer =
  | 'echo'
  /** Echoes its arguments after `ms` milliseconds, one of them. */
  | 'later'
  /** Counts its calls in memory, and answers with `{ pid, count }`, after `ms` milliseconds if the arguments have them. */
  | 'count'
  /** Never answers. */
  | 'hang'
  /** Ends the process. */
  | 'crash'
  /** Answers with a JSON-RPC error. */
  | 'refuse'
  /** Answers with an `isError` result. */
  | 'fail'
  /** Answers with the number of `blocks` of text that the arguments ask for, of 15,000 bytes each. */
  | 'large'
  /** Answers with as much of a kind as the arguments ask for: `log`, `records`, `structure`, `images`, `binary`, `broken`. */
  | 'produce'
  | 'log'
  | 'progress'
  | { readonly result: Readonly<Record<string, unknown>> }

/** The tools, prompts and resources of a fixture server, and how it misbehaves. */
export interface FixtureSpec {
  tools: readonly object[]
  /** The tools that SIGUSR2 swaps for `tools`. */
  readonly otherTools?: readonly object[]
  /** By tool name, as pairs: a name may be `__proto__`. */
  readonly answers?: readonly (readonly [tool: string, answer: FixtureAnswer])[]
  readonly prompts?: readonly object[]
  readonly resources?: readonly object[]
  readonly resourceTemplates?: readonly object[]
  /** The prefix of its prompts and resources. */
  readonly label?: string
  readonly instructions?: string
  /** Tools on a page of `tools/list`; all by default. */
  readonly pageSize?: number
  /** How long it takes to start. */
  readonly startDelayMs?: number
  readonly trouble?: 'crash-at-start' | 'never-initialize' | 'never-list' | 'refuse-list' | 'endless-pages'
}

/** An entry of `mcpServers`. */
export type ServerEntry = Readonly<Record<string, unknown>>

/** A server that is a process of its own and speaks MCP over standard streams. */
export function fixtureServer(spec: FixtureSpec, entry: ServerEntry = {}): ServerEntry {
  const script = fileURLToPath(new URL('./fixture-server.mjs', import.meta.url))
  return { command: process.execPath, args: [script, JSON.stringify(spec)], ...entry }
}

/** A published MCP server, run by this Node. */
export function npmServer(name: string, args: readonly string[] = [], entry: ServerEntry = {}): ServerEntry {
  const main = fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`))
  return { command: process.execPath, args: [main, ...args], ...entry }
}

/** A tool with a description and properties that are all texts; those named are required. */
export function textTool(name: string, description: string, properties: readonly string[] = []): object {
  return {
    name,
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(properties.map((property) => [property, { type: 'string' }])),
      required: properties,
    },
  }
}
