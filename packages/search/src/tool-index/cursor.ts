import { fromBase64Url, toBase64Url } from './base64url.ts'
import { ToolSearchError } from '../errors.ts'
import { readCount } from './search-arguments.ts'
import { codeUnitBytes, sipHash, SIPHASH_KEY_LENGTH } from '../siphash.ts'
import type { PageOptions } from './tool-index.ts'

/** The list that a cursor continues. It is good for no other list and no other version of the index. */
export interface CursorList {
  readonly version: number
  /** Everything that decides what the list holds: its kind, the query, the scope … */
  readonly identity: readonly string[]
}

/** Where a page starts. */
export interface CursorPosition {
  readonly offset: number
  readonly pageSize: number
  /** Marks what ranked the list, see `CursorSigner.rankerMark`; zero where nothing did. */
  readonly ranker: number
}

/** Why a cursor is refused. */
export type CursorProblem = 'malformed' | 'foreign' | 'stale'

const ADVICE: Readonly<Record<CursorProblem, string>> = {
  malformed: 'This is not a cursor. Pass nextCursor exactly as it was given.',
  foreign: 'This cursor belongs to another list. Repeat the arguments of the first page, or start without a cursor.',
  stale: 'The list has changed since this cursor was given. Start again without a cursor.',
}

/** An INVALID_CURSOR error with the reason and what to do. */
export function invalidCursor(reason: CursorProblem): ToolSearchError {
  return new ToolSearchError('INVALID_CURSOR', { reason, advice: ADVICE[reason] })
}

// A cursor is 30 bytes: format, version (6), offset (4), page size, ranker (2), hash of the identity (8), signature (8).
const FORMAT = 1
const AT = { format: 0, version: 1, offset: 7, pageSize: 11, ranker: 12, identity: 14, signature: 22, end: 30 } as const
const TWO_TO_32 = 2 ** 32

/** First bytes of what is hashed, so that no signature passes for an identity; signed data start with FORMAT. */
const IDENTITY_DOMAIN = 2
const RANKER_DOMAIN = 3

/** Gives out cursors and takes them back, unless they were altered or are for something else. */
export class CursorSigner {
  readonly #key: Uint8Array

  /** @throws ToolSearchError INVALID_ARGUMENTS when the key does not have 16 bytes */
  constructor(key: Uint8Array) {
    if (!(key instanceof Uint8Array) || key.length !== SIPHASH_KEY_LENGTH) {
      throw new ToolSearchError('INVALID_ARGUMENTS', { field: 'cursorKey', reason: 'cursorKey must have 16 bytes' })
    }
    this.#key = key.slice()
  }

  /** The cursor for the page of `list` that starts at `position`. */
  issue(list: CursorList, position: CursorPosition): string {
    const bytes = new Uint8Array(AT.end)
    const view = new DataView(bytes.buffer)
    bytes[AT.format] = FORMAT
    view.setUint16(AT.version, Math.floor(list.version / TWO_TO_32))
    view.setUint32(AT.version + 2, list.version % TWO_TO_32)
    view.setUint32(AT.offset, position.offset)
    bytes[AT.pageSize] = position.pageSize
    view.setUint16(AT.ranker, position.ranker)
    bytes.set(this.#hash(codeUnitBytes(list.identity, IDENTITY_DOMAIN)), AT.identity)
    bytes.set(this.#hash(bytes.subarray(0, AT.signature)), AT.signature)
    return toBase64Url(bytes)
  }

  /**
   * The position that a cursor of this list carries.
   * @throws ToolSearchError INVALID_CURSOR; one of another list at another version is stale rather than foreign
   */
  read(cursor: unknown, list: CursorList): CursorPosition {
    const bytes = typeof cursor === 'string' && cursor.length === (AT.end / 3) * 4 ? fromBase64Url(cursor) : undefined
    if (bytes === undefined || bytes[AT.format] !== FORMAT) throw invalidCursor('malformed')
    const signature = this.#hash(bytes.subarray(0, AT.signature))
    if (!isSameBytes(signature, bytes.subarray(AT.signature))) throw invalidCursor('foreign')

    const view = new DataView(bytes.buffer)
    const version = view.getUint16(AT.version) * TWO_TO_32 + view.getUint32(AT.version + 2)
    if (version !== list.version) throw invalidCursor('stale')
    const identity = this.#hash(codeUnitBytes(list.identity, IDENTITY_DOMAIN))
    if (!isSameBytes(identity, bytes.subarray(AT.identity, AT.signature))) throw invalidCursor('foreign')
    return {
      offset: view.getUint32(AT.offset),
      pageSize: view.getUint8(AT.pageSize),
      ranker: view.getUint16(AT.ranker),
    }
  }

  /** A small number for a strategy's name: pages ranked by different strategies do not belong together. */
  rankerMark(strategy: string): number {
    return sipHash(this.#key, codeUnitBytes([strategy], RANKER_DOMAIN)).low & 0xffff
  }

  #hash(message: Uint8Array): Uint8Array {
    const { high, low } = sipHash(this.#key, message)
    const bytes = new Uint8Array(8)
    const view = new DataView(bytes.buffer)
    view.setUint32(0, high)
    view.setUint32(4, low)
    return bytes
  }
}

/** Takes the same time wherever the first difference is. */
function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= (a[i] as number) ^ (b[i] ?? 0)
  return difference === 0
}

/**
 * A random key for the cursors of one index.
 * @throws ToolSearchError INVALID_ARGUMENTS where the platform has no Web Crypto
 */
export function randomCursorKey(): Uint8Array {
  const { crypto } = globalThis as { crypto?: { getRandomValues(bytes: Uint8Array): Uint8Array } }
  if (crypto === undefined) {
    throw new ToolSearchError('INVALID_ARGUMENTS', { field: 'cursorKey', reason: 'no Web Crypto here, pass cursorKey' })
  }
  return crypto.getRandomValues(new Uint8Array(SIPHASH_KEY_LENGTH))
}

/**
 * Where the page that is asked for starts.
 * @throws ToolSearchError INVALID_CURSOR, also when a page of another size is asked for
 */
export function readPosition(
  cursors: CursorSigner,
  { cursor, pageSize }: PageOptions,
  list: CursorList,
): CursorPosition {
  if (cursor === undefined) return { offset: 0, pageSize: readCount(pageSize), ranker: 0 }
  const position = cursors.read(cursor, list)
  if (readCount(pageSize, position.pageSize) !== position.pageSize) throw invalidCursor('foreign')
  return position
}
