import { plainText } from '../parts/invisible-characters.ts'
import type { Text } from '../text/text.ts'
import type { Draft } from './draft.ts'
import type { SchemaNode } from './schema-node.ts'

const UNSET: Draft = { kind: 'unset' }

/** The limits of a value, in words. */
export function limitsOf(node: SchemaNode, words: Text['tryIt']): string {
  const parts: string[] = []
  if (node.kind === 'number' || node.kind === 'text' || node.kind === 'list') {
    const { min, max } = node
    const least = min === undefined || (node.kind === 'list' && min === 0) ? undefined : min
    const most = max === undefined || !Number.isFinite(max) ? undefined : max
    if (least !== undefined || most !== undefined) parts.push(words.limits[node.kind](least, most))
  }
  if (node.kind === 'text' && node.format !== undefined) parts.push(words.format(node.format))
  if (node.kind === 'text' && node.pattern !== undefined) parts.push(words.pattern(node.pattern))
  return parts.join(' · ')
}

/** The default, shown in an empty field. */
export function exampleOf({ fallback }: SchemaNode): string {
  if (fallback === undefined) return ''
  return plainText(typeof fallback === 'string' ? fallback : JSON.stringify(fallback))
}

type Selected = Extract<SchemaNode, { kind: 'flag' | 'choice' | 'null' }>

/** The choices of a select field. */
export function choicesOf(node: Selected, words: Text['tryIt']): { value: string; label: string }[] {
  if (node.kind === 'null') return [{ value: 'null', label: 'null' }]
  if (node.kind === 'flag') {
    return [
      { value: 'true', label: words.booleans.true },
      { value: 'false', label: words.booleans.false },
    ]
  }
  return node.choices.map((choice, place) => ({
    value: String(place),
    label: plainText(typeof choice === 'string' ? choice : JSON.stringify(choice)),
  }))
}

/** The choice that a draft has; empty without one. */
export function selectedOf(draft: Draft): string {
  if (draft.kind === 'flag') return String(draft.on)
  if (draft.kind === 'choice') return String(draft.at)
  return draft.kind === 'null' ? 'null' : ''
}

/** The draft of a choice. */
export function chosenOf({ kind }: Selected, value: string): Draft {
  if (value === '') return UNSET
  if (kind === 'flag') return { kind: 'flag', on: value === 'true' }
  return kind === 'null' ? { kind: 'null' } : { kind: 'choice', at: Number(value) }
}
