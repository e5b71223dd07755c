import { isRecord } from '@tooldex/http-kit/json'
import { canonicalDefinition } from '../model/canonical-json.ts'
import type { Definition } from './fingerprint.ts'

/** A piece of a text: in both versions, only in the new one, or only in the approved one. */
export interface DiffPiece {
  readonly how: 'same' | 'added' | 'removed'
  readonly text: string
}

/** The difference of one text of a definition. */
export interface FieldDiff {
  /** A path such as `inputSchema.properties.path.description`; empty for a plain text. */
  readonly field: string
  readonly pieces: readonly DiffPiece[]
}

/** Beyond this number of words on both sides, a text is shown as removed and added in whole. */
const MOST_WORDS = 2_000
/** Fields of one definition that are compared; the rest is compared as a whole. */
const MOST_FIELDS = 500

/** The texts in which two definitions differ, word by word. Without an approved definition everything is added. */
export function diffDefinitions(approved: Definition | undefined, now: Definition): readonly FieldDiff[] {
  const before = fieldsOf(approved ?? {})
  const after = fieldsOf(now)
  const names = [...new Set([...before.keys(), ...after.keys()])]
  return names.flatMap((field) => {
    const [one = '', other = ''] = [before.get(field), after.get(field)]
    return one === other ? [] : [{ field, pieces: diffWords(one, other) }]
  })
}

/** The words of two texts, with the longest common subsequence as `same`. Spaces belong to the word after them. */
function diffWords(before: string, after: string): readonly DiffPiece[] {
  const one = wordsOf(before)
  const other = wordsOf(after)
  let start = 0
  while (start < one.length && start < other.length && one[start] === other[start]) start++
  let end = 0
  const most = Math.min(one.length, other.length) - start
  while (end < most && one.at(-1 - end) === other.at(-1 - end)) end++
  const middle = diffMiddle(one.slice(start, one.length - end), other.slice(start, other.length - end))
  return joined([
    { how: 'same', text: one.slice(0, start).join('') },
    ...middle,
    { how: 'same', text: one.slice(one.length - end).join('') },
  ])
}

function diffMiddle(one: readonly string[], other: readonly string[]): readonly DiffPiece[] {
  if (one.length + other.length > MOST_WORDS) {
    return [
      { how: 'removed', text: one.join('') },
      { how: 'added', text: other.join('') },
    ]
  }
  const lengths = commonLengths(one, other)
  const at = (row: number, column: number): number => lengths[row * (other.length + 1) + column] ?? 0
  const pieces: DiffPiece[] = []
  let [row, column] = [0, 0]
  while (row < one.length || column < other.length) {
    const [a, b] = [one[row], other[column]]
    if (a !== undefined && a === b) {
      pieces.push({ how: 'same', text: a })
      row++
      column++
    } else if (a !== undefined && (b === undefined || at(row + 1, column) >= at(row, column + 1))) {
      pieces.push({ how: 'removed', text: a })
      row++
    } else {
      pieces.push({ how: 'added', text: b ?? '' })
      column++
    }
  }
  return pieces
}

/** The lengths of the longest common subsequences of all ends of two lists. */
function commonLengths(one: readonly string[], other: readonly string[]): Uint16Array {
  const width = other.length + 1
  const lengths = new Uint16Array((one.length + 1) * width)
  for (let row = one.length - 1; row >= 0; row--) {
    for (let column = other.length - 1; column >= 0; column--) {
      const here = row * width + column
      const isSame = one[row] === other[column]
      lengths[here] = isSame
        ? (lengths[here + width + 1] ?? 0) + 1
        : Math.max(lengths[here + width] ?? 0, lengths[here + 1] ?? 0)
    }
  }
  return lengths
}

function joined(pieces: readonly DiffPiece[]): readonly DiffPiece[] {
  const all: { how: DiffPiece['how']; text: string }[] = []
  for (const { how, text } of pieces) {
    const last = all.at(-1)
    if (text === '') continue
    if (last?.how === how) last.text += text
    else all.push({ how, text })
  }
  return all
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\s*[\p{L}\p{N}_]+|\s*[^\p{L}\p{N}_\s]|\s+/gu) ?? []
}

/** The texts of a definition by path; lists and values that are no texts are written as JSON. */
function fieldsOf(definition: Definition): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  const visit = (value: unknown, path: readonly string[]): void => {
    const field = path.join('.')
    if (typeof value === 'string') fields.set(field, value)
    else if (isRecord(value) && Object.keys(value).length > 0 && fields.size < MOST_FIELDS) {
      for (const [name, each] of Object.entries(value)) visit(each, [...path, name])
    } else if (value !== undefined) fields.set(field, canonicalDefinition([value]).slice(1, -1))
  }
  visit(definition, [])
  return fields
}
