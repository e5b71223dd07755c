/** Marks a text that is kept as JSON. */
const MARK = '\u0001'

/** A text as it can be kept: databases refuse or change the NUL character and halves of surrogate pairs. */
export function toStorable(text: string): string {
  return text.includes('\0') || text.startsWith(MARK) || !text.isWellFormed() ? MARK + JSON.stringify(text) : text
}

/** The text that was kept. */
export function fromStorable(stored: string): string {
  return stored.startsWith(MARK) ? (JSON.parse(stored.slice(MARK.length)) as string) : stored
}
