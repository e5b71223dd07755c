import type { AuditEntry, AuditLog } from '../model/audit.ts'

/** Passes entries on to the log and to listeners. */
export class AuditFeed implements AuditLog {
  readonly #log: AuditLog
  readonly #listeners = new Set<(entry: AuditEntry) => void>()

  constructor(log: AuditLog) {
    this.#log = log
  }

  record(entry: AuditEntry): void {
    this.#log.record(entry)
    for (const listener of this.#listeners) listener(entry)
  }

  /** @param listener must not throw. @returns a function that removes it */
  onEntry(listener: (entry: AuditEntry) => void): () => void {
    const own = (entry: AuditEntry): void => listener(entry)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }
}
