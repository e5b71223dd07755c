/** An answer about tools (pages, a list, or one tool) in which one tool is allowed or not; others are as they were. */
export function withAllowed(answer: unknown, key: string, allowed: boolean): unknown {
  if (typeof answer !== 'object' || answer === null) return answer
  if ('pages' in answer && Array.isArray(answer.pages)) {
    return { ...answer, pages: answer.pages.map((page: unknown) => withAllowed(page, key, allowed)) }
  }
  if ('items' in answer && Array.isArray(answer.items)) {
    return { ...answer, items: answer.items.map((item: unknown) => withAllowed(item, key, allowed)) }
  }
  return 'key' in answer && answer.key === key ? { ...answer, allowed } : answer
}
