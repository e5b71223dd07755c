import { RawJson } from '../../servers/protocol/raw-json.ts'

const PIECE_CHARACTERS = 65_536

/**
 * A JSON value, written piece by piece, so that other requests can be served between the pieces of a large one. Together
 * they are the output of JSON.stringify, except that a surrogate pair at a cut may be escaped. Raw bytes are passed
 * through.
 */
export function* jsonPieces(value: unknown): Generator<string | Buffer> {
  let piece = ''
  for (const part of parts(value)) {
    const isText = typeof part === 'string'
    if (isText) piece += part
    if (piece.length < PIECE_CHARACTERS && isText) continue
    if (piece !== '') yield piece
    if (!isText) yield part
    piece = ''
  }
  if (piece !== '') yield piece
}

function* parts(value: unknown): Generator<string | Buffer> {
  if (value instanceof RawJson) yield* value.pieces
  else if (typeof value === 'string' && value.length > PIECE_CHARACTERS) yield* stringParts(value)
  else if (Array.isArray(value)) yield* arrayParts(value)
  else if (isPlainObject(value)) yield* objectParts(value)
  else yield JSON.stringify(value) ?? 'null'
}

function* arrayParts(items: readonly unknown[]): Generator<string | Buffer> {
  yield '['
  for (const [index, item] of items.entries()) {
    if (index > 0) yield ','
    yield* parts(item)
  }
  yield ']'
}

function* objectParts(object: Readonly<Record<string, unknown>>): Generator<string | Buffer> {
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
