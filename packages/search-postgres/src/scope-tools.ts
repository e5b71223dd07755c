import type { ToolScope } from '@tooldex/search'
import { idsOf } from './scope.ts'
import type { Session } from './session.ts'
import type { Tables } from './tables.ts'

/** The tools of a scope, as postings know them. */
export interface ToolsInScope {
  readonly numbers: ReadonlySet<number>
  /** Words of the names of its tools, by server. */
  readonly nameLengths: ReadonlyMap<number, number>
}

/** Knows the tools of a scope by number, as long as the index is unchanged. */
export class ScopeTools {
  readonly #indexId: number
  readonly #tables: Tables
  readonly #kept = new WeakMap<ToolScope, { readonly version: number; readonly tools: ToolsInScope }>()

  constructor(indexId: number, tables: Tables) {
    this.#indexId = indexId
    this.#tables = tables
  }

  /** Absent where nothing narrows the search. */
  async of(session: Session, version: number, within: ToolScope | undefined): Promise<ToolsInScope | undefined> {
    if (within === undefined) return undefined
    const kept = this.#kept.get(within)
    if (kept?.version === version) return kept.tools
    const rows = await session.rows<{ number: string; server: number | null; names: number }>(
      `select number, server, name_length as names from ${this.#tables.tools} where index_id = $1 and id = any($2)`,
      [this.#indexId, idsOf(within)],
    )
    const nameLengths = new Map<number, number>()
    for (const { server, names } of rows) {
      if (server !== null) nameLengths.set(server, (nameLengths.get(server) ?? 0) + names)
    }
    const tools = { numbers: new Set(rows.map(({ number }) => Number(number))), nameLengths }
    this.#kept.set(within, { version, tools })
    return tools
  }
}
