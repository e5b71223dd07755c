import type { EligibleTools } from './eligible-tools.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import { type NameTable, type NamingRules, nameTable } from '../catalog/name-table.ts'

/** What a client calls each tool that it may see, and back. */
export type ExposedNames = NameTable<CatalogTool>

/**
 * Names the tools of one caller. Only those: what a caller may not see does not show in the names of the rest.
 * A tool keeps its name when servers start in another order and when tools come that want no name of its own.
 */
export function exposedNames(eligible: EligibleTools, rules: NamingRules): ExposedNames {
  return nameTable(eligible.list, rules)
}

/** Remembers tables for as long as the tools and the rules that they were made from are around. */
export class ExposedNameTables {
  readonly #tables = new WeakMap<EligibleTools, WeakMap<NamingRules, ExposedNames>>()

  /** As `exposedNames`. */
  exposedNames(eligible: EligibleTools, rules: NamingRules): ExposedNames {
    const ofTools = this.#tables.get(eligible) ?? new WeakMap<NamingRules, ExposedNames>()
    const table = ofTools.get(rules) ?? exposedNames(eligible, rules)
    this.#tables.set(eligible, ofTools.set(rules, table))
    return table
  }
}
