import { type AuditEntry, wasRefused } from '../model/audit.ts'

const KEPT_CALLS = 100

/** The latency of a server's latest calls. */
export interface Latency {
  readonly p50Ms: number
  readonly p95Ms: number
  readonly calls: number
}

/** Records the durations of the latest hundred calls of each server, from the audit. */
export class CallLatencies {
  readonly #durations = new Map<string, number[]>()

  note(entry: AuditEntry): void {
    if (entry.kind !== 'call' || entry.serverId === '' || wasRefused(entry)) return
    const durations = this.#durations.get(entry.serverId) ?? []
    durations.push(entry.durationMs)
    if (durations.length > KEPT_CALLS) durations.shift()
    this.#durations.set(entry.serverId, durations)
  }

  /** `undefined` before the first call. */
  of(serverId: string): Latency | undefined {
    const sorted = this.#durations.get(serverId)?.toSorted((a, b) => a - b)
    if (sorted === undefined || sorted.length === 0) return undefined
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    return { p50Ms: at(0.5), p95Ms: at(0.95), calls: sorted.length }
  }

  /** Drops the durations of all other servers. */
  forgetOthers(serverIds: ReadonlySet<string>): void {
    for (const id of this.#durations.keys()) if (!serverIds.has(id)) this.#durations.delete(id)
  }
}
