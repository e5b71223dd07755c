/** Marks a text that is stored as JSON. */
const MARK = '\u0001'

/** Encodes a text for storage: databases refuse or change NUL characters and unpaired surrogates. */
export function toStorable(text: string): string {
  return text.includes('\0') || text.startsWith(MARK) || !text.isWellFormed() ? MARK + JSON.stringify(text) : text
}

/** Decodes a stored text. */
export function fromStorable(stored: string): string {
  return stored.startsWith(MARK) ? (JSON.parse(stored.slice(MARK.length)) as string) : stored
}
