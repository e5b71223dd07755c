import type { StoreHealth } from '../../model/store.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { Backups } from './backups.ts'

/** A gateway that is started again and again must not push out all backups but the last minutes'. */
const FRESH_MS = 60 * 60 * 1_000
const DAY_MS = 24 * 60 * 60 * 1_000
/** Clients come first. */
const AFTER_START_MS = 3_000

/** What making backups needs. */
export interface BackupScheduleOptions {
  readonly backups: Backups
  readonly path: string
  readonly logger: Logger
  readonly now: () => number
}

/** Makes a backup soon after the start and every day. */
export class BackupSchedule {
  readonly #options: BackupScheduleOptions
  readonly #timers: readonly NodeJS.Timeout[]
  #problem: string | undefined

  constructor(options: BackupScheduleOptions) {
    this.#options = options
    this.#timers = [
      setTimeout(() => this.makeUnlessFresh(), AFTER_START_MS).unref(),
      setInterval(() => this.makeUnlessFresh(), DAY_MS).unref(),
    ]
  }

  /** Never throws: a backup that cannot be made is told of. */
  makeUnlessFresh(): void {
    const { backups, path, now, logger } = this.#options
    try {
      const [newest] = backups.list()
      if (newest !== undefined && now() - newest.at < FRESH_MS) return
      backups.make(path, now())
      this.#problem = undefined
    } catch (error) {
      this.#problem = `No backup could be made: ${String(error)}`
      logger.warn({ error: String(error) }, 'no backup could be made')
    }
  }

  health(): Partial<Pick<StoreHealth, 'latestBackupAt' | 'problems'>> {
    const [newest] = this.#options.backups.list()
    return {
      problems: this.#problem === undefined ? [] : [this.#problem],
      ...(newest === undefined ? {} : { latestBackupAt: newest.at }),
    }
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
