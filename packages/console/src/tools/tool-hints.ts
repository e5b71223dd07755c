import type { Tone } from '../parts/badge.tsx'

/** What a server says of a tool's effects. */
export interface ToolHint {
  readonly name: 'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint'
  readonly tone: Tone
}

const HINTS: readonly ToolHint[] = [
  { name: 'readOnlyHint', tone: 'good' },
  { name: 'destructiveHint', tone: 'warn' },
  { name: 'idempotentHint', tone: 'neutral' },
  { name: 'openWorldHint', tone: 'neutral' },
]

/** The hints that are true. What only reads destroys nothing, whatever else is said. */
export function hintsOf(annotations: Readonly<Record<string, unknown>> | undefined): readonly ToolHint[] {
  const said = HINTS.filter(({ name }) => annotations?.[name] === true)
  return annotations?.['readOnlyHint'] === true ? said.filter(({ name }) => name !== 'destructiveHint') : said
}
