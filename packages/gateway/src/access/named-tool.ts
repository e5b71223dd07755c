import type { CatalogTool } from '../catalog/catalog.ts'
import type { ExposedNames } from './exposed-names.ts'
import type { NamingRules } from '../catalog/name-table.ts'
import { findTool, toolNotFound } from './resolve-tool.ts'
import type { EligibleTools } from './eligible-tools.ts'
import { type AbsenceBasis, explainAbsence } from './explain-absence.ts'

/** What a caller may use and how it is called there. */
export interface NamedTools {
  readonly eligible: EligibleTools
  readonly names: ExposedNames
  readonly rules: NamingRules
  readonly basis: AbsenceBasis
}

/**
 * The tool that a client wrote, whichever way, on every path that leads to a call.
 * @throws GatewayError the truthful reason inside the caller's reach, TOOL_NOT_FOUND outside of it, TOOL_AMBIGUOUS
 */
export function namedTool(text: string, { eligible, names, rules, basis }: NamedTools): CatalogTool {
  const tool = findTool(text, eligible, names)
  if (tool !== undefined) return tool
  // Always both, so that what is out of reach takes as long as what does not exist.
  const notFound = toolNotFound(text, eligible, names)
  throw explainAbsence(text, rules, basis) ?? notFound
}
