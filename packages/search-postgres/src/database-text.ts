import { createHash } from 'node:crypto'

/** An index row of PostgreSQL holds no more than 2,704 bytes; words are shorter, but texts of strangers are not words. */
const LONGEST_TERM = 100

/** Whether a column can hold the text: no NUL, no half of a character. No id of a tool has them. */
export function isStorable(text: unknown): text is string {
  return typeof text === 'string' && text.isWellFormed() && !text.includes('\0')
}

/** Bytes that sort as the library sorts ids, by code units. PostgreSQL's own orders differ beyond the basic plane. */
export function sortKeyOf(id: string): Buffer {
  return Buffer.from(id, 'utf16le').swap16()
}

/** A term as it is stored: itself, or its beginning and a hash where it is too long for an index. */
export function termKeyOf(term: string): string {
  if (term.length <= LONGEST_TERM) return term
  return `${term.slice(0, LONGEST_TERM / 2)}~${digestOf(term)}`.toWellFormed()
}

/** A text of any length as a short key. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
