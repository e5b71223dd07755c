/** `getUserById`, `get_user-by.id` → `get user by id`. */
export function nameWords(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replace(/[_\-./:\\@]+/g, ' ')
    .trim()
    .toLowerCase()
}

/** The first sentences of a description, at most `limit` characters, cut at a word. Markup and line breaks are gone. */
export function firstSentences(description: string, count: number, limit: number): string {
  const plain = description
    .replace(/[`*#>|]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const sentences = plain.split(/(?<=[.!?])\s+(?=[A-Z])/).slice(0, count)
  return shortened(sentences.join(' '), limit)
}

/** At most `limit` characters, cut at a word. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text
  const cut = text.slice(0, limit)
  return cut.slice(0, Math.max(cut.lastIndexOf(' '), limit / 2))
}
