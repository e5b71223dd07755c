import type { IndexedTool } from '@tooldex/search'
import { saturations, serverKey, type ServerStatistics, type WeightedTerm } from '@tooldex/search/store'
import { termKeyOf } from './database-text.ts'
import type { Session } from './session.ts'
import type { Sizes } from './statistics.ts'
import type { Tables } from './tables.ts'
import { toolOf } from './tool-rows.ts'

/** What candidates are looked for in. */
export interface SearchSpace {
  readonly session: Session
  readonly indexId: number
  readonly tables: Tables
  readonly sizes: Sizes
  /** The ids of the tools that exist for this search; absent for all. */
  readonly scope: readonly string[] | undefined
}

/** The tools that score best by their words, and what is known of their servers. */
export interface Candidates {
  readonly tools: readonly IndexedTool[]
  readonly servers: ReadonlyMap<string, ServerStatistics>
  readonly serverFrequencies: ReadonlyMap<string, number>
}

interface CandidateRow {
  readonly definition: string | null
  readonly server: number | null
  readonly name_length: number | null
  /** By term; in the last row how many servers have it. */
  readonly counts: Record<string, number> | null
}

/**
 * Scores tools in the database as `Bm25Provider` does before it looks closely: BM25F of the words, plus the server's
 * score as a document of its own, each brought to the best.
 */
export async function bestCandidates(
  space: SearchSpace,
  weighed: readonly WeightedTerm[],
  limit: number,
): Promise<Candidates> {
  const { tools, servers, serverWeight } = saturations(space.sizes.averageLength, space.sizes.averageServerLength)
  const rows = await space.session.rows<CandidateRow>(statement(space), [
    space.indexId,
    weighed.map(({ concept }) => concept),
    weighed.map(({ stem }) => termKeyOf(stem)),
    weighed.map(({ weight }) => weight),
    weighed.map(({ share }) => share),
    ...[tools.whole, tools.perLength, servers.whole, servers.perLength],
    ...[space.sizes.serverCount, space.sizes.serverCount > 1 ? serverWeight : 0, limit],
    ...(space.scope === undefined ? [] : [space.scope]),
  ])
  return collect(rows, new Map(weighed.map(({ stem }) => [termKeyOf(stem), stem])))
}

const SCOPE_PARAMETER = 13

function statement({ tables, scope }: SearchSpace): string {
  const inScope =
    scope === undefined
      ? ''
      : `and tool in (select number from ${tables.tools} where index_id = $1 and id = any($${SCOPE_PARAMETER}))`
  const visibleServers =
    scope === undefined
      ? `select number as server, name_length, length + name_length as length from ${tables.servers} where index_id = $1`
      : `select server, sum(t.name_length)::integer as name_length, s.length + sum(t.name_length)::integer as length
         from ${tables.tools} t join ${tables.servers} s on s.number = server
         where t.index_id = $1 and id = any($${SCOPE_PARAMETER}) group by server, s.length`
  return `
    with wanted as (
      select * from unnest($2::integer[], $3::text[], $4::float8[], $5::float8[]) as w(concept, term, weight, share)
    ),
    hits as materialized (
      select term, tool, frequency, length, name_count, server from ${tables.postings}
      where index_id = $1 and term = any($3) ${inScope}
    ),
    visible as (${visibleServers}),
    named as materialized (
      select server, term, sum(count)::integer as count from (
        select server, term, name_count as count from hits where name_count > 0 and server is not null
        union all
        select server, term, count from ${tables.serverPostings} where index_id = $1 and term = any($3)
      ) counted join visible using (server) group by server, term
    ),
    server_terms as (select term, count(*)::integer as servers from named group by term),
    server_scores as (
      select server, sum(score) as score from (
        select server, concept, max(
          share * ln(1 + ($10::float8 - servers + 0.5) / (servers + 0.5))
          * count / (count + $8::float8 + $9::float8 * length)
        ) as score
        from wanted join named using (term) join server_terms using (term) join visible using (server)
        group by server, concept
      ) concepts group by server
    ),
    tool_scores as (
      select tool, server, sum(score) as score from (
        select tool, server, concept, max(weight * frequency / (frequency + $6::float8 + $7::float8 * length)) as score
        from wanted join hits using (term) group by tool, server, concept
      ) concepts group by tool, server
    ),
    best as materialized (
      select tool, t.server
      from tool_scores t left join server_scores s on s.server = t.server
      order by t.score / (select max(score) from tool_scores)
        + $11::float8 * coalesce(s.score / (select nullif(max(score), 0) from server_scores), 0) desc, tool
      limit $12
    )
    select definition, best.server, null::integer as name_length, null::json as counts
    from best join ${tables.tools} on number = tool
    union all
    select null, server, name_length, coalesce(counts, '{}')
    from visible left join (
      select server, json_object_agg(term, count) as counts
      from named where server in (select server from best) group by server
    ) counted using (server)
    where server in (select server from best)
    union all
    select null, null, null, json_object_agg(term, servers) from server_terms`
}

function collect(rows: readonly CandidateRow[], stemOf: ReadonlyMap<string, string>): Candidates {
  const tools: IndexedTool[] = []
  const keyOf = new Map<number | null, string>()
  for (const { definition, server } of rows) {
    if (definition === null) continue
    const tool = toolOf({ definition })
    tools.push(tool)
    keyOf.set(server, serverKey(tool) ?? '')
  }
  const byStem = (counts: Readonly<Record<string, number>> | null): ReadonlyMap<string, number> =>
    new Map(Object.entries(counts ?? {}).map(([term, count]) => [stemOf.get(term) ?? term, count]))
  const servers = new Map<string, ServerStatistics>()
  let serverFrequencies: ReadonlyMap<string, number> = new Map()
  for (const { definition, server, name_length, counts } of rows) {
    if (definition !== null) continue
    if (server === null) serverFrequencies = byStem(counts)
    else servers.set(keyOf.get(server) ?? '', { nameLength: name_length ?? 0, counts: byStem(counts) })
  }
  return { tools, servers, serverFrequencies }
}
