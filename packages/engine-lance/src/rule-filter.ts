import { TRAIT, type ToolRule } from '@tooldex/search/engine'
import { KIND } from './rows.ts'

/** What numbers the servers of a catalog; `CatalogFigures` does. */
export interface NumberedServers {
  readonly serverCount: number
  serverNumber(server: string): number | undefined
}

/** So many excepted tools are left out of what was found: the time of a condition grows with every text in it. */
const MOST_SPARE = 200

/** How many more rows are asked for, because so many may be left out. */
export function spareFor({ except }: ToolRule): number {
  return except.length > MOST_SPARE ? 0 : except.length
}

/** A rule as a condition on rows, but for the excepted tools that `spareFor` counts; absent where it allows every tool. */
export function ruleFilter(rule: ToolRule, catalog: NumberedServers): string | undefined {
  const { servers, only, except, traits = {} } = rule
  const conditions: string[] = []
  const named = servers === 'all' ? undefined : ofServers(servers, catalog)
  if (named !== undefined) conditions.push(named)
  if (only !== undefined) conditions.push(oneOf('id', only))
  if (except.length > spareFor(rule)) conditions.push(`NOT ${oneOf('id', except)}`)
  const needed = (traits.readOnly ? TRAIT.readOnly : 0) | (traits.notDestructive ? TRAIT.notDestructive : 0)
  if (needed !== 0) conditions.push(`traits IN (${sumsWith(needed).join(', ')})`)
  return conditions.length === 0 ? undefined : conditions.join(' AND ')
}

/** The same for queries that look at every row: those that are no tools are left out. */
export function toolsWithin(rule: ToolRule, catalog: NumberedServers): string {
  const filter = ruleFilter(rule, catalog)
  return filter === undefined ? `kind = ${KIND.tool}` : `kind = ${KIND.tool} AND ${filter}`
}

/** The condition that a column has one of these texts. */
export function oneOf(column: string, texts: readonly string[]): string {
  return texts.length === 0 ? 'false' : `${column} IN (${texts.map(quoted).join(', ')})`
}

/** By number, and by the fewer of those that are allowed and those that are not: the time grows with the list. */
function ofServers(servers: readonly string[], catalog: NumberedServers): string | undefined {
  const allowed = new Set<number>()
  for (const server of servers) {
    const number = server === '' ? undefined : catalog.serverNumber(server)
    if (number !== undefined) allowed.add(number)
  }
  if (allowed.size === 0) return 'false'
  if (2 * allowed.size <= catalog.serverCount) return `server_number IN (${[...allowed].join(',')})`
  const others: number[] = []
  for (let number = 0; number < catalog.serverCount; number++) if (!allowed.has(number)) others.push(number)
  return others.length === 0 ? undefined : `server_number NOT IN (${others.join(',')})`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** The sums of traits that have all that is needed. */
function sumsWith(needed: number): number[] {
  const all = TRAIT.readOnly | TRAIT.notDestructive
  return Array.from({ length: all + 1 }, (_, sum) => sum).filter((sum) => (sum & needed) === needed)
}
