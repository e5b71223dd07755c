import { randomUUID } from 'node:crypto'
import type { ReplicaReport, SharedLimits } from '../model/shared-limits.ts'
import { differenceOf } from './open-limits.ts'

/** The dependencies of {@link Fleet}. */
export interface FleetParts {
  readonly store: SharedLimits
  readonly version: string
  /** A hash of what the configuration declares, for each secret key. */
  readonly file: () => string
  /** What this replica has open now, by the key of a limit. */
  readonly counts: () => ReadonlyMap<string, number>
  /** Called when the counts of the others may have changed. */
  readonly onShares: () => void
  readonly log: FleetLog
  /** Epoch milliseconds of this machine. */
  readonly now: () => number
}

interface FleetLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  debug(fields: Readonly<Record<string, unknown>>, message: string): void
}

const REPORT_MS = 1_000
/** Clocks may differ by this much without a warning. */
const CLOCK_TOLERANCE_MS = 5_000

/**
 * The replicas on one database. Once a second each publishes how much it has open and reads what the others have, so that
 * limits on what is open at a time hold for all together, a second late. While the database is away, the last counts hold.
 */
export class Fleet {
  readonly #parts: FleetParts
  readonly #id = randomUUID()
  #others: readonly ReplicaReport[] = []
  #problems: ReadonlyMap<string, string> = new Map()
  #timer: NodeJS.Timeout | undefined
  #reporting: Promise<void> | undefined

  constructor(parts: FleetParts) {
    this.#parts = parts
  }

  /** How many replicas run, this one included. */
  get replicas(): number {
    return this.#others.length + 1
  }

  /** How replicas differ that should be alike, one sentence each. */
  get problems(): readonly string[] {
    return [...this.#problems.values()]
  }

  /** How much of a limit this replica may use: what the others leave, and an equal part at least. */
  share(key: string, limit: number): number {
    const used = this.#others.reduce((sum, { counts }) => sum + (counts[key] ?? 0), 0)
    return Math.max(1, Math.floor(limit / this.replicas), limit - used)
  }

  /** Reports now, then once a second. */
  start(): void {
    void this.report()
    this.#timer = setInterval(() => void this.report(), REPORT_MS).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#reporting
    await this.#parts.store.leave(this.#id).catch(() => {})
  }

  /** Publishes the counts and takes over those of the others; one report at a time. Never rejects. */
  report(): Promise<void> {
    this.#reporting ??= this.#report().finally(() => (this.#reporting = undefined))
    return this.#reporting
  }

  async #report(): Promise<void> {
    const { store, version, file, counts, onShares, log } = this.#parts
    try {
      const own = { id: this.#id, version, file: file(), counts: Object.fromEntries(counts()) }
      const asked = this.#parts.now()
      const { now, others } = await store.report(own)
      this.#compare(own, others, now - (asked + this.#parts.now()) / 2)
      this.#others = others
      onShares()
    } catch (error) {
      log.debug({ error: String(error) }, 'the counts of this replica could not be published')
    }
  }

  /** Logs each difference once, when it begins. */
  #compare(own: ReplicaReport, others: readonly ReplicaReport[], clockMs: number): void {
    const found = new Map<string, string>()
    if (Math.abs(clockMs) > CLOCK_TOLERANCE_MS) {
      const side = clockMs > 0 ? 'behind' : 'ahead of'
      const by = Math.round(Math.abs(clockMs) / 1_000)
      found.set(
        'clock',
        `The clock of this machine is ${by} seconds ${side} that of the database. Set it; tokens expire by it.`,
      )
    }
    const differences = new Set(others.map(({ file }) => differenceOf(own.file, file)))
    if (differences.has('key')) {
      found.set(
        'key',
        'Replicas on this database have different secret keys. Give all of them the same TOOLDEX_SECRET_KEY: a session of one is unknown to the others.',
      )
    }
    if (differences.has('file')) {
      found.set('file', 'Replicas on this database have different configuration files. Give all of them the same.')
    }
    for (const [kind, problem] of found) if (!this.#problems.has(kind)) this.#parts.log.warn({ kind }, problem)
    this.#problems = found
    const versions = versionsOf(others)
    if (versions !== versionsOf(this.#others) && others.some(({ version }) => version !== own.version)) {
      this.#parts.log.info({ own: own.version, others: versions }, 'replicas of other versions run on this database')
    }
  }
}

function versionsOf(reports: readonly ReplicaReport[]): string {
  return [...new Set(reports.map(({ version }) => version))].toSorted().join(', ')
}
