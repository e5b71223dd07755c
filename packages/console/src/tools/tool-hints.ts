import type { Tone } from '../parts/badge.tsx'

/** The annotations of a tool's effects. */
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

/** The hints that are true. A read-only tool never counts as destructive. */
export function hintsOf(annotations: Readonly<Record<string, unknown>> | undefined): readonly ToolHint[] {
  const said = HINTS.filter(({ name }) => annotations?.[name] === true)
  return annotations?.['readOnlyHint'] === true ? said.filter(({ name }) => name !== 'destructiveHint') : said
}
