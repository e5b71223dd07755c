import type { EligibleTools } from './eligible-tools.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import { type NameTable, type NamingRules, nameTable } from '../catalog/name-table.ts'

/** The exposed names of the tools of one caller. */
export type ExposedNames = NameTable<CatalogTool>

/**
 * Names the tools of one caller. Tools that the caller may not see do not influence these names. A tool keeps its name when
 * servers start in another order, and when tools with other names are added.
 */
export function exposedNames(eligible: EligibleTools, rules: NamingRules): ExposedNames {
  return nameTable(eligible.list, rules)
}

/** Caches tables as long as their tools and rules exist. */
export class ExposedNameTables {
  readonly #tables = new WeakMap<EligibleTools, WeakMap<NamingRules, ExposedNames>>()

  /** Like `exposedNames`. */
  exposedNames(eligible: EligibleTools, rules: NamingRules): ExposedNames {
    const ofTools = this.#tables.get(eligible) ?? new WeakMap<NamingRules, ExposedNames>()
    const table = ofTools.get(rules) ?? exposedNames(eligible, rules)
    this.#tables.set(eligible, ofTools.set(rules, table))
    return table
  }
}
