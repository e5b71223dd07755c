import { createHash } from 'node:crypto'
import { maskArguments, maskUrl } from './server-secrets.ts'
import type { ServerDefinition } from './server.ts'

/** The name of a list of a server. */
export type ListName = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

/** The names of all lists. */
export const LIST_NAMES: readonly ListName[] = ['tools', 'prompts', 'resources', 'resourceTemplates']

/** The lists of the last successful answers of a server, unmodified. */
export interface LastGoodLists {
  /** Identifies the program or URL that answered; see {@link originOf}. */
  readonly origin: string
  readonly instructions?: string
  /** Present if the server asks its clients back. */
  readonly asksClients?: true
  readonly lists: Readonly<Record<ListName, readonly Readonly<Record<string, unknown>>[]>>
}

/** A persistent cache of lists, so that a gateway answers at once after its start. */
export interface LastGoodStore {
  /** `undefined` if there are none, or they cannot be read. */
  load(serverId: string): Promise<LastGoodLists | undefined>
  save(serverId: string, lists: LastGoodLists): Promise<void>
}

/** Identifies the command or URL of a server, whatever its secrets are: a new key does not change its lists. */
export function originOf({ transport }: ServerDefinition): string {
  const parts =
    transport.kind === 'stdio'
      ? [transport.kind, transport.command, ...maskArguments(transport.args), transport.cwd ?? '']
      : [transport.kind, maskUrl(transport.url)]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
