import type { AdminServer, RouteBodyInput } from '@tooldex/contract/admin'
import { joinCommand, splitCommand } from './command-line.ts'

/** The state of a server form. */
export interface ServerDraft {
  readonly id: string
  readonly name: string
  readonly transport: 'stdio' | 'http' | 'sse'
  /** The command line, as typed in a shell. */
  readonly command: string
  readonly url: string
  /** `NAME=value` lines. */
  readonly env: string
  /** `Name: value` lines. */
  readonly headers: string
  readonly start: 'eager' | 'on-demand'
  /** For programs. */
  readonly instances: 'auto' | 'shared' | 'per-client'
}

/** The fields that a problem can refer to. */
export const SERVER_FIELDS = ['id', 'name', 'command', 'args', 'env', 'url', 'headers']

/** The initial state for a new server. */
export const NEW_SERVER: ServerDraft = {
  id: '',
  name: '',
  transport: 'stdio',
  command: '',
  url: '',
  env: '',
  headers: '',
  start: 'eager',
  instances: 'auto',
}

/** The initial state for changing a server; secrets are masked. */
export function draftOf({ id, config, transport }: AdminServer): ServerDraft {
  return {
    id,
    name: config.name ?? '',
    transport,
    command: config.command === undefined ? '' : joinCommand([config.command, ...(config.args ?? [])]),
    url: config.url ?? '',
    env: linesOf(config.env, '='),
    headers: linesOf(config.headers, ': '),
    start: config.start,
    instances: config.instances,
  }
}

/** The request body that adds a server. */
export function newServerOf(draft: ServerDraft): RouteBodyInput<'createServer'> {
  return { id: draft.id.trim(), ...partsOf(draft) }
}

/** The request body that changes a server. */
export function patchOf(draft: ServerDraft): RouteBodyInput<'changeServer'> {
  const unset = draft.name.trim() === '' ? { unset: ['name'] } : {}
  return { ...partsOf(draft), ...unset }
}

function partsOf(draft: ServerDraft) {
  const name = draft.name.trim()
  const common = { start: draft.start, ...(name !== '' && { name }) }
  if (draft.transport !== 'stdio') {
    const type = draft.transport === 'sse' ? { type: 'sse' as const } : {}
    return { ...common, ...type, url: draft.url.trim(), headers: entriesOf(draft.headers, ':') }
  }
  const [command = '', ...args] = splitCommand(draft.command)
  return { ...common, command, args, env: entriesOf(draft.env, '='), instances: draft.instances }
}

function linesOf(entries: Readonly<Record<string, string>> | undefined, between: string): string {
  return Object.entries(entries ?? {})
    .map(([name, value]) => `${name}${between}${value}`)
    .join('\n')
}

function entriesOf(lines: string, between: string): Record<string, string> {
  const pairs = lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const at = line.indexOf(between)
      return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    })
  return Object.fromEntries(pairs) as Record<string, string>
}
