import { cleanText } from '@tooldex/http-kit/clean-text'
import type { AuditEntry, AuditLog } from '../model/audit.ts'
import { maskArguments } from '../model/server-secrets.ts'

/** In characters. */
const LONGEST_QUERY = 500
const LONGEST_TOOL = 200
const MOST_QUERIES = 20

/** Passes entries on to the log and to listeners, with texts of callers cleaned, cut and without secrets. */
export class AuditFeed implements AuditLog {
  readonly #log: AuditLog
  readonly #keepsQueries: boolean
  readonly #listeners = new Set<(entry: AuditEntry) => void>()

  /** @param keepsQueries whether entries have the texts of searches */
  constructor(log: AuditLog, { keepsQueries = true }: { readonly keepsQueries?: boolean } = {}) {
    this.#log = log
    this.#keepsQueries = keepsQueries
  }

  record(given: AuditEntry): void {
    const entry = this.#tidied(given)
    this.#log.record(entry)
    for (const listener of this.#listeners) listener(entry)
  }

  /** @param listener must not throw. @returns a function that removes it */
  onEntry(listener: (entry: AuditEntry) => void): () => void {
    const own = (entry: AuditEntry): void => listener(entry)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  #tidied(entry: AuditEntry): AuditEntry {
    if (entry.kind === 'search' && entry.queries !== undefined) {
      const { queries, ...rest } = entry
      return this.#keepsQueries ? { ...rest, queries: queries.slice(0, MOST_QUERIES).map(tidyQuery) } : rest
    }
    // The key of a tool is known to be harmless; the text of a caller is not.
    if (entry.kind === 'call' && entry.serverId === '' && entry.toolKey !== '') {
      return { ...entry, toolKey: tidyText(entry.toolKey, LONGEST_TOOL) }
    }
    return entry
  }
}

/** The text of a search as it is kept: clean, cut, without secrets. */
export function tidyQuery(query: string): string {
  return tidyText(query, LONGEST_QUERY)
}

/** Secrets are removed before the cut, which could leave an unrecognisable half of one. */
function tidyText(text: string, most: number): string {
  const [masked = ''] = maskArguments([text.slice(0, most * 4)])
  return cleanText(masked, most)
}
