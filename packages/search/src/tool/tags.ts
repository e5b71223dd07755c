const MAX_TAG_LENGTH = 64
const MAX_TAGS = 20

/**
 * Tags as the index keeps them: lower case, trimmed, white space as `-`, only `a-z 0-9 - _ .`, at most 64 characters
 * each, no duplicates, the first 20 in the order given. What has no such character left is dropped.
 */
export function normalizeTags(tags: Iterable<string>): readonly string[] {
  const kept = new Set<string>()
  for (const tag of tags) {
    const normalized = normalizeTag(tag)
    if (normalized !== '') kept.add(normalized)
    if (kept.size === MAX_TAGS) break
  }
  return [...kept]
}

function normalizeTag(tag: string): string {
  const letters = tag
    .trim()
    .toLowerCase()
    .replace(/\s+/gu, '-')
    .replace(/[^a-z0-9\-_.]/gu, '')
  return letters.slice(0, MAX_TAG_LENGTH)
}
