/** Fields whose content never belongs in a log, whatever it is. */
const HIDDEN = new Set([
  ...['authorization', 'cookie', 'setcookie', 'token', 'tokens', 'accesstoken', 'refreshtoken', 'apikey'],
  ...['secret', 'password', 'passwd', 'credentials', 'env', 'environment', 'headers'],
  ...['arguments', 'args', 'argv', 'params', 'result', 'results', 'content', 'structuredcontent', 'body', 'meta'],
])
const DEEPEST = 6
const MOST_ENTRIES = 100
const CENSOR = '[hidden]'

/** A copy of log fields without what must not be logged, at any depth. */
export function hideSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  return hideIn(fields, 0)
}

/** A text without the secrets that can be told by their look: our tokens and bearer headers. */
export function maskTokens(text: string): string {
  return text.replace(/tdx_[\w-]{4,}/g, 'tdx_[hidden]').replace(/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${CENSOR}`)
}

function hideIn(fields: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .slice(0, MOST_ENTRIES)
      .map(([key, value]) => [key, isHidden(key) ? CENSOR : visible(value, depth + 1)]),
  )
}

function visible(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  // Kept whole: the logger's own serializer makes type, message and stack of it.
  if (value instanceof Error) return depth === 1 ? value : { type: value.name, message: value.message }
  if (depth >= DEEPEST) return '[deep]'
  if (value instanceof Date) return value
  if (value instanceof Map || value instanceof Set) return `[${value.size} entries]`
  if (Array.isArray(value)) return value.slice(0, MOST_ENTRIES).map((entry) => visible(entry, depth + 1))
  return hideIn(value, depth)
}

const isHidden = (key: string): boolean => HIDDEN.has(key.toLowerCase().replace(/[-_]/g, ''))
