import { LRUCache } from 'lru-cache'
import type { EligibleTools } from './eligible-tools.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import type { Project } from '../model/project.ts'
import { type NameTable, type NamingRules, nameTable } from '../catalog/name-table.ts'

/** The exposed names of the tools of one caller. */
export type ExposedNames = NameTable<CatalogTool>

/**
 * Names the tools of one caller. Tools that the caller may not see do not influence these names. A tool keeps its name when
 * servers start in another order, and when tools with other names are added.
 */
export function exposedNames(eligible: EligibleTools, rules: NamingRules): ExposedNames {
  return nameTable(eligible.list, rules, givenNames(eligible.project))
}

/** The names that a project gives to tools, by key. */
export function givenNames({ tools }: Project): ReadonlyMap<string, string> {
  const named = [...tools].flatMap(([key, { name }]) => (name === undefined ? [] : [[key, name] as const]))
  return new Map(named)
}

/** Maximum number of tools over all callers whose tables are kept: a name takes some hundred times the memory of a bit. */
const MOST_TOOLS = 500_000

/** Caches the tables of the callers that were last served. */
export class ExposedNameTables {
  readonly #tables = new LRUCache<EligibleTools, WeakMap<NamingRules, ExposedNames>>({
    maxSize: MOST_TOOLS,
    sizeCalculation: (_, { size }) => size + 1,
  })

  /** Like `exposedNames`. */
  exposedNames(eligible: EligibleTools, rules: NamingRules): ExposedNames {
    const ofTools = this.#tables.get(eligible) ?? new WeakMap<NamingRules, ExposedNames>()
    const table = ofTools.get(rules) ?? exposedNames(eligible, rules)
    ofTools.set(rules, table)
    if (!this.#tables.has(eligible)) this.#tables.set(eligible, ofTools)
    return table
  }
}
