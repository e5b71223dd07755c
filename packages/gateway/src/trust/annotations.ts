import { isRecord } from '@tooldex/http-kit/json'
import type { Definition } from './fingerprint.ts'

/** The hints of a tool, with the value that permits more than the protocol assumes for an absent one. */
const HINTS = [
  { hint: 'readOnlyHint', loose: true },
  { hint: 'destructiveHint', loose: false },
  { hint: 'idempotentHint', loose: true },
  { hint: 'openWorldHint', loose: false },
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

/** The hints by which a definition now permits more than the approved one, which said otherwise. */
export function loosenedHints(approved: Definition, now: Definition): readonly string[] {
  return looseHints(now).filter((hint) => valueOf(approved, hint) !== undefined && !looseHints(approved).includes(hint))
}

/**
 * The hints of a definition that permit more and that nothing approved says anything about. They are left out until a person
 * approves them, because clients and read-only tokens rely on them.
 * @param claims those of the approved definition itself that are not approved yet
 */
export function newClaims(approved: Definition, now: Definition, claims: readonly string[]): readonly string[] {
  return looseHints(now).filter((hint) => claims.includes(hint) || valueOf(approved, hint) === undefined)
}

/** The hints of a definition that permit more than the protocol assumes without them. */
export function looseHints(definition: Definition): readonly string[] {
  return HINTS.filter(({ hint, loose }) => valueOf(definition, hint) === loose).map(({ hint }) => hint)
}

/** A definition without hints that are not approved. */
export function withoutClaims(definition: Definition, claims: readonly string[]): Definition {
  const { annotations } = definition
  if (claims.length === 0 || !isRecord(annotations)) return definition
  const kept = Object.entries(annotations).filter(([name]) => !claims.includes(name))
  return { ...definition, annotations: Object.fromEntries(kept) }
}

function valueOf({ annotations }: Definition, hint: string): boolean | undefined {
  const value = isRecord(annotations) ? annotations[hint] : undefined
  return typeof value === 'boolean' ? value : undefined
}
