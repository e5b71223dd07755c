import type { AuditEntry, AuditLog } from '../model/audit.ts'

/** Keeps the newest entries in memory, in a ring. */
export class MemoryAuditLog implements AuditLog {
  readonly #capacity: number
  readonly #ring: AuditEntry[] = []
  #next = 0

  constructor(capacity = 1_000) {
    this.#capacity = Math.max(1, Math.floor(capacity))
  }

  record(entry: AuditEntry): void {
    this.#ring[this.#next] = entry
    this.#next = (this.#next + 1) % this.#capacity
  }

  /** Oldest first. */
  entries(): readonly AuditEntry[] {
    if (this.#ring.length < this.#capacity) return [...this.#ring]
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)]
  }
}
