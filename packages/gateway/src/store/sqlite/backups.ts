import { closeSync, existsSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { StoreHealth } from '../../model/store.ts'
import type { Logger } from '../../telemetry/logger.ts'

const KEPT = 5
const PREFIX = 'tooldex-'
const SUFFIX = '.db'

/** Tables without configuration, which are left out because they grow. */
const LEFT_OUT = ['audit_entries', 'audit_batches', 'context_costs', 'tool_snapshots']

/** An existing backup. */
interface Backup {
  readonly path: string
  readonly at: number
}

/** Backups of the configuration. Each is a database that can replace a damaged one; the newest five are kept. */
export class Backups {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Newest first. */
  list(): readonly Backup[] {
    if (!existsSync(this.#folder)) return []
    const names = readdirSync(this.#folder).filter((name) => name.startsWith(PREFIX) && name.endsWith(SUFFIX))
    return names
      .toSorted()
      .reverse()
      .map((name) => join(this.#folder, name))
      .map((path) => ({ path, at: Math.trunc(statSync(path).mtimeMs) }))
  }

  /** Makes a backup of a database, and removes the oldest ones. The disk is waited for outside of the event loop. */
  async make(source: string, now: number): Promise<Backup> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const path = join(this.#folder, `${PREFIX}${new Date(now).toISOString().replaceAll(':', '-')}${SUFFIX}`)
    const temporary = `${path}.${process.pid}.tmp`
    try {
      closeSync(openSync(temporary, 'w', 0o600))
      copyConfiguration(source, temporary)
      await synced(temporary)
      renameSync(temporary, path)
    } finally {
      rmSync(temporary, { force: true })
    }
    for (const { path: old } of this.list().slice(KEPT)) rmSync(old, { force: true })
    return { path, at: now }
  }
}

/** Resolves once the disk has a file. */
async function synced(path: string): Promise<void> {
  const file = await open(path)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Copies all tables, and the rows of the configuration, from one snapshot. */
function copyConfiguration(source: string, target: string): void {
  const database = new DatabaseSync(target, { timeout: 1 })
  try {
    database.prepare('attach ? as source').run(source)
    // An incomplete copy is thrown away, and a complete one is synced as a whole.
    database.exec('pragma main.journal_mode = off; pragma main.synchronous = off; pragma foreign_keys = off; begin')
    const objects = database
      .prepare(`select type, name, sql from source.sqlite_schema where sql is not null and name not like 'sqlite_%'
        order by type = 'table' desc, rowid`)
      .all() as { type: string; name: string; sql: string }[]
    for (const { sql } of objects) database.exec(sql)
    for (const { type, name } of objects) {
      if (type !== 'table' || LEFT_OUT.includes(name)) continue
      database.exec(`insert into main."${name}" select * from source."${name}"`)
    }
    database.exec('commit')
  } finally {
    database.close()
  }
}

/** No second backup within this time: frequent restarts must not replace all older backups. */
const RECENT_MS = 60 * 60 * 1_000
const DAY_MS = 24 * 60 * 60 * 1_000
/** The delay of the first backup, so that it does not slow the start. */
const AFTER_START_MS = 3_000

/** The dependencies of {@link BackupSchedule}. */
interface BackupScheduleOptions {
  readonly backups: Backups
  readonly path: string
  readonly logger: Logger
  readonly now: () => number
}

/** Makes a backup after the start and every day. */
export class BackupSchedule {
  readonly #options: BackupScheduleOptions
  readonly #timers: readonly NodeJS.Timeout[]
  #making: Promise<void> = Promise.resolve()
  #problem: string | undefined

  constructor(options: BackupScheduleOptions) {
    this.#options = options
    this.#timers = [
      setTimeout(() => this.#begin(), AFTER_START_MS).unref(),
      setInterval(() => this.#begin(), DAY_MS).unref(),
    ]
  }

  health(): Partial<Pick<StoreHealth, 'latestBackupAt' | 'problems'>> {
    const [newest] = this.#options.backups.list()
    return {
      problems: this.#problem === undefined ? [] : [this.#problem],
      ...(newest === undefined ? {} : { latestBackupAt: newest.at }),
    }
  }

  /** Resolves once no backup is being made. */
  stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    return this.#making
  }

  #begin(): void {
    this.#making = this.#makeIfDue()
  }

  /** Makes a backup unless there is a recent one. Never throws: a failure is logged. */
  async #makeIfDue(): Promise<void> {
    const { backups, path, now, logger } = this.#options
    try {
      const [newest] = backups.list()
      if (newest !== undefined && now() - newest.at < RECENT_MS) return
      await backups.make(path, now())
      this.#problem = undefined
    } catch (error) {
      this.#problem = `The backup failed: ${String(error)}`
      logger.warn({ error: String(error) }, 'the backup failed')
    }
  }
}
