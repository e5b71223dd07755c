import type { CatalogServer } from './catalog.ts'
import { type NameTable, type NamingRules, nameTable } from './name-table.ts'

/** A prompt and whose it is. */
export interface CatalogPrompt {
  /** `serverId:promptName`. */
  readonly key: string
  readonly server: CatalogServer
  readonly serverName: string
  /** The server's own name for it. */
  readonly name: string
  readonly definition: Readonly<Record<string, unknown>>
}

/** Prompts of the servers that a caller may use, with the names that clients see. */
export interface PromptNames {
  readonly list: readonly CatalogPrompt[]
  readonly names: NameTable<CatalogPrompt>
}

/** Names prompts as tools are named. What has no name is left out; of two with the same name the server means the first. */
export function promptNames(servers: readonly CatalogServer[], rules: NamingRules): PromptNames {
  const byKey = new Map<string, CatalogPrompt>()
  for (const server of servers) {
    for (const definition of server.prompts) {
      const { name } = definition
      if (typeof name !== 'string' || name === '') continue
      const key = `${server.id}:${name}`
      if (!byKey.has(key)) byKey.set(key, { key, server, serverName: server.name, name, definition })
    }
  }
  const list = [...byKey.values()]
  return { list, names: nameTable(list, rules) }
}
