import { createHash } from 'node:crypto'
import type { ServerDefinition } from './server.ts'

/** One of the lists that a server has. */
export type ListName = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

export const LIST_NAMES: readonly ListName[] = ['tools', 'prompts', 'resources', 'resourceTemplates']

/** What a server listed when it last answered, as it listed it. */
export interface LastGoodLists {
  /** Of what was asked then; lists of another program or address are not this server's. */
  readonly origin: string
  readonly instructions?: string
  readonly lists: Readonly<Record<ListName, readonly Readonly<Record<string, unknown>>[]>>
}

/** Keeps lists beyond the life of the process, so that a cold gateway answers at once. A cache: losing it loses time only. */
export interface LastGoodStore {
  /** `undefined` for what was never kept or can no longer be read. */
  load(serverId: string): Promise<LastGoodLists | undefined>
  save(serverId: string, lists: LastGoodLists): Promise<void>
}

/** What a server is asked at: command and arguments, or address. A hash, because either may hold a secret. */
export function originOf({ transport }: ServerDefinition): string {
  const parts =
    transport.kind === 'stdio'
      ? [transport.kind, transport.command, ...transport.args, transport.cwd ?? '']
      : [transport.kind, transport.url]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
