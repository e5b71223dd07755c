import { isRecord } from '@tooldex/http-kit/json'
import type { Definition } from './fingerprint.ts'

/** The hints of a tool, with the value that the protocol assumes for an absent one, and the value that permits more. */
const HINTS = [
  { hint: 'readOnlyHint', assumed: false, loose: true },
  { hint: 'destructiveHint', assumed: true, loose: false },
  { hint: 'idempotentHint', assumed: false, loose: true },
  { hint: 'openWorldHint', assumed: true, loose: false },
] as const

/**
 * A definition with the approved annotations that it no longer has. Some servers drop annotations when they are listed again, and
 * an absent one claims nothing.
 */
export function withKeptAnnotations(approved: Definition, now: Definition): Definition {
  const kept = approved['annotations']
  if (!isRecord(kept) || Object.keys(kept).length === 0) return now
  const given = isRecord(now['annotations']) ? now['annotations'] : {}
  if (Object.keys(kept).every((name) => given[name] !== undefined)) return now
  return { ...now, annotations: { ...kept, ...given } }
}

/** The hints by which a definition now permits more than the approved one. */
export function loosenedHints(approved: Definition, now: Definition): readonly string[] {
  return HINTS.filter(({ hint, assumed, loose }) => {
    const [before, after] = [approved, now].map((each) => valueOf(each, hint, assumed))
    return before !== after && after === loose
  }).map(({ hint }) => hint)
}

function valueOf(definition: Definition, hint: string, assumed: boolean): boolean {
  const { annotations } = definition
  const value = isRecord(annotations) ? annotations[hint] : undefined
  return typeof value === 'boolean' ? value : assumed
}
