import type { ToolScope } from '@tooldex/search'
import type { CatalogStatistics } from '@tooldex/search/store'
import { idsOf } from './scope.ts'
import type { Session } from './session.ts'
import type { Tables } from './tables.ts'

/** How many tools and servers there are, and how long. */
export type Sizes = Pick<CatalogStatistics, 'count' | 'averageLength' | 'serverCount' | 'averageServerLength'>

interface Kept {
  readonly version: number
  readonly sizes: Sizes
}

/** The sizes that ranking needs, of all tools or of a scope, kept while the index is unchanged. */
export class Statistics {
  readonly #indexId: number
  readonly #tables: Tables
  readonly #ofScope = new WeakMap<ToolScope, Kept>()
  #ofAll: Kept | undefined

  constructor(indexId: number, tables: Tables) {
    this.#indexId = indexId
    this.#tables = tables
  }

  async of(session: Session, version: number, within: ToolScope | undefined): Promise<Sizes> {
    const kept = within === undefined ? this.#ofAll : this.#ofScope.get(within)
    if (kept?.version === version) return kept.sizes
    const sizes = await this.#measure(session, idsOf(within))
    if (within === undefined) this.#ofAll = { version, sizes }
    else this.#ofScope.set(within, { version, sizes })
    return sizes
  }

  async #measure(session: Session, ids: readonly string[] | undefined): Promise<Sizes> {
    const [row] = await session.rows<Record<'count' | 'length' | 'names' | 'servers' | 'own', string | null>>(
      `with visible as (
         select length, name_length, server from ${this.#tables.tools}
         where index_id = $1 ${ids === undefined ? '' : 'and id = any($2)'}
       ), servers as (
         select length from ${this.#tables.servers} where index_id = $1 and number in (select server from visible)
       )
       select count(*) as count, sum(length) as length, sum(name_length) filter (where server is not null) as names,
         (select count(*) from servers) as servers, (select sum(length) from servers) as own
       from visible`,
      [this.#indexId, ...(ids === undefined ? [] : [ids])],
    )
    const [count, servers] = [Number(row?.count ?? 0), Number(row?.servers ?? 0)]
    return {
      count,
      averageLength: average(Number(row?.length ?? 0), count),
      serverCount: servers,
      averageServerLength: average(Number(row?.own ?? 0) + Number(row?.names ?? 0), servers),
    }
  }
}

function average(total: number, count: number): number {
  return count === 0 ? 0 : total / count
}
