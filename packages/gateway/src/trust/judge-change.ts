import { isRecord } from '@tooldex/http-kit/json'
import type { PinnedKind, TrustMode } from '../model/pins.ts'
import { loosenedHints } from './annotations.ts'
import { newDelicateWords } from './delicate-words.ts'
import type { Definition } from './fingerprint.ts'
import { resembles } from './resemblance.ts'

/** Why a definition waits for approval. */
export interface HoldReason {
  /** The rule's name, also of the scanner. */
  readonly rule: string
  readonly severity: 'hold' | 'block'
  /** A sentence. */
  readonly message: string
  /** Where in the definition, and where in that text. */
  readonly field?: string
  readonly offset?: number
  readonly length?: number
  readonly excerpt?: string
}

/**
 * Looks for hostile text in a definition. Findings that the approved definition has as well are left out.
 */
export type ScanDefinition = (definition: Definition, approved: Definition | undefined) => readonly HoldReason[]

/** What a judgement depends on besides the definitions. */
export interface JudgeBasis {
  readonly kind: PinnedKind
  readonly mode: TrustMode
  readonly scan: ScanDefinition
  /** Definitions of tools of the same server that some rule denies, by name; undefined if they are gone and unknown. */
  readonly denied: ReadonlyMap<string, Definition | undefined>
}

/** Reasons to hold a change of an approved definition; none if it is harmless. */
export function judgeChange(approved: Definition, now: Definition, basis: JudgeBasis): readonly HoldReason[] {
  const { kind, mode, scan } = basis
  if (mode === 'off') return []
  // People write the configuration; only `strict` makes them say so twice.
  if (kind === 'program') return mode === 'strict' ? [hold('strict', 'Its command line or address changed.')] : []
  const reasons = [
    ...(kind === 'tool' ? [...loosened(approved, now), ...lostGuards(approved, now)] : []),
    ...scan(now, approved),
    ...delicate(approved, now),
  ]
  if (mode === 'strict' && reasons.length === 0) return [hold('strict', 'Every change of this server is held.')]
  return reasons
}

/** Reasons to hold a definition that was never approved. @param isFirst it came with the first list of its server */
export function judgeNew(now: Definition, isFirst: boolean, basis: JudgeBasis): readonly HoldReason[] {
  const { kind, mode, scan, denied } = basis
  if (mode === 'off' || kind === 'program') return []
  const reasons = [...(kind === 'tool' ? renamed(now, denied) : []), ...scan(now, undefined)]
  const isTooNew = mode === 'strict' && !isFirst
  if (isTooNew && reasons.length === 0) return [hold('strict', `Every new ${wordFor(kind)} of this server is held.`)]
  return reasons
}

/** The kind of a definition in sentences. */
function wordFor(kind: PinnedKind): string {
  return kind === 'resource-template' ? 'resource template' : kind
}

const hold = (rule: string, message: string, field?: string): HoldReason => ({
  rule,
  severity: 'hold',
  message,
  ...(field !== undefined && { field }),
})

const CLAIMS = new Map([
  ['readOnlyHint', 'It now claims that it only reads.'],
  ['destructiveHint', 'It now claims that it destroys nothing.'],
  ['idempotentHint', 'It now claims that it may be repeated without effect.'],
  ['openWorldHint', 'It now claims that it reaches nothing outside.'],
])

function loosened(approved: Definition, now: Definition): readonly HoldReason[] {
  return loosenedHints(approved, now).map((hint) =>
    hold('loosened-annotation', CLAIMS.get(hint) ?? '', `annotations.${hint}`),
  )
}

const GUARD =
  /confirm|approv|consent|acknowledg|dry_?run|authori[sz]|password|passcode|otp|signature|permission|verif|safe|force|reason|justif/i

/** Required parameters that make a caller confirm or prove something, and that are no longer required. */
function lostGuards(approved: Definition, now: Definition): readonly HoldReason[] {
  const before = inputOf(approved)
  const after = inputOf(now)
  return [...before.required].flatMap((name) => {
    const schema = before.properties.get(name)
    const isGuard =
      GUARD.test(name) || (isRecord(schema) && (schema['const'] !== undefined || schema['type'] === 'boolean'))
    if (!isGuard || (after.required.has(name) && constOf(schema) === constOf(after.properties.get(name)))) return []
    return [hold('lost-guard', `The required parameter ${JSON.stringify(name)} no longer guards it.`, 'inputSchema')]
  })
}

function constOf(schema: unknown): string | undefined {
  return isRecord(schema) ? JSON.stringify(schema['const']) : undefined
}

function inputOf({ inputSchema }: Definition): {
  readonly required: ReadonlySet<string>
  readonly properties: ReadonlyMap<string, unknown>
} {
  const schema = isRecord(inputSchema) ? inputSchema : {}
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  return {
    required: new Set(required.filter((name) => typeof name === 'string')),
    properties: new Map(Object.entries(properties)),
  }
}

function delicate(approved: Definition, now: Definition): readonly HoldReason[] {
  return newDelicateWords(approved, now).map(({ topic, words }) => ({
    ...hold('new-topic', `It now speaks of ${topic === 'instructions' ? 'instructions to the model' : topic}.`),
    excerpt: words.slice(0, 200),
  }))
}

function renamed(now: Definition, denied: JudgeBasis['denied']): readonly HoldReason[] {
  return [...denied].flatMap(([name, definition]) =>
    resembles(now, name, definition)
      ? [hold('renamed-denied', `It resembles ${JSON.stringify(name)}, which is denied.`, 'name')]
      : [],
  )
}
