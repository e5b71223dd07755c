import type { Tool } from '../tool/tool.ts'
import type { AnalysedTool, ToolRule } from './catalog-engine.ts'

/** Bits of `AnalysedTool.traits`. */
export const TRAIT = { readOnly: 1, notDestructive: 2 } as const

/** The traits that a definition claims. A tool that only reads destroys nothing. */
export function traitsOf({ annotations = {} }: Pick<Tool, 'annotations'>): number {
  const readOnly = annotations['readOnlyHint'] === true
  const notDestructive = readOnly || annotations['destructiveHint'] === false
  return (readOnly ? TRAIT.readOnly : 0) | (notDestructive ? TRAIT.notDestructive : 0)
}

/** A tool as a rule judges it. */
export type JudgedTool = Pick<AnalysedTool, 'id' | 'server' | 'traits'>

/** A rule, ready to judge many tools. */
export type RuleCheck = (tool: JudgedTool) => boolean

/** Judges tools by a rule. Every answer of an engine passes this check, whatever filter the engine made of the rule. */
export function allowedByRule({ servers, only, except, traits = {} }: ToolRule): RuleCheck {
  const [serverSet, onlySet, exceptSet] = [
    servers === 'all' ? undefined : new Set(servers),
    only && new Set(only),
    new Set(except),
  ]
  const needed = (traits.readOnly ? TRAIT.readOnly : 0) | (traits.notDestructive ? TRAIT.notDestructive : 0)
  return ({ id, server, traits: claimed }) =>
    (serverSet === undefined || (server !== '' && serverSet.has(server))) &&
    (onlySet === undefined || onlySet.has(id)) &&
    !exceptSet.has(id) &&
    (claimed & needed) === needed
}
