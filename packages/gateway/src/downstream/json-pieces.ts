const PIECE_CHARACTERS = 65_536

/**
 * A JSON value, written piece by piece, so that whoever writes a large one can let others go first in between. The
 * pieces together are what JSON.stringify writes, except that a pair of code units at a cut may be escaped.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  let piece = ''
  for (const part of parts(value)) {
    piece += part
    if (piece.length < PIECE_CHARACTERS) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}

function* parts(value: unknown): Generator<string> {
  if (typeof value === 'string' && value.length > PIECE_CHARACTERS) yield* stringParts(value)
  else if (Array.isArray(value)) yield* arrayParts(value)
  else if (isPlainObject(value)) yield* objectParts(value)
  else yield JSON.stringify(value) ?? 'null'
}

function* arrayParts(items: readonly unknown[]): Generator<string> {
  yield '['
  for (const [index, item] of items.entries()) {
    if (index > 0) yield ','
    yield* parts(item)
  }
  yield ']'
}

function* objectParts(object: Readonly<Record<string, unknown>>): Generator<string> {
  let before = '{'
  for (const [key, member] of Object.entries(object)) {
    if (member === undefined) continue
    yield `${before}${JSON.stringify(key)}:`
    before = ','
    yield* parts(member)
  }
  yield before === '{' ? '{}' : '}'
}

function* stringParts(text: string): Generator<string> {
  yield '"'
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    yield JSON.stringify(text.slice(at, at + PIECE_CHARACTERS)).slice(1, -1)
  }
  yield '"'
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !('toJSON' in value)
}
