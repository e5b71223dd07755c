import { createHash } from 'node:crypto'
import { canonicalDefinition } from '../model/canonical-json.ts'
import type { PinnedKind } from '../model/pins.ts'

/** A definition as a server sent it; instructions and programs are wrapped in an object. */
export type Definition = Readonly<Record<string, unknown>>

/**
 * The hash of everything that a model or a permission reads in a definition. Key order, whitespace, the spelling of numbers and
 * the order of `required`, `enum`, `type` and of a prompt's arguments do not count; any other change does.
 */
export function fingerprintOf(kind: PinnedKind, definition: Definition): string {
  const known = fingerprints.get(definition)
  if (known !== undefined) return known
  const { annotations, ...others } = kind === 'prompt' ? withOrderedArguments(definition) : definition
  const text = canonicalDefinition([kind, others, withoutEmpty(annotations)])
  const hash = createHash('sha256').update(text).digest('hex')
  fingerprints.set(definition, hash)
  return hash
}

/** Definitions are immutable, and most are the same object from one list to the next. */
const fingerprints = new WeakMap<Definition, string>()

/** Empty annotations say as much as absent ones. */
function withoutEmpty(annotations: unknown): unknown {
  const isEmpty = typeof annotations === 'object' && annotations !== null && Object.keys(annotations).length === 0
  return isEmpty ? null : (annotations ?? null)
}

/** Arguments of a prompt are named, so their order means nothing. */
function withOrderedArguments(prompt: Definition): Definition {
  const list = prompt['arguments']
  if (!Array.isArray(list)) return prompt
  const texts = list.map((each: unknown) => [canonicalDefinition(each) ?? '', each] as const)
  return { ...prompt, arguments: texts.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each) }
}
