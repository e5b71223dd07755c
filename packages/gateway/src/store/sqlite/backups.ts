import { closeSync, existsSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { StoreHealth } from '../../model/store.ts'
import type { Logger } from '../../telemetry/logger.ts'

const KEPT = 5
const PREFIX = 'tooldex-'
const SUFFIX = '.db'

/** What grows and decides nothing: copies of it would fill the disk. */
const LEFT_OUT = ['audit_entries', 'audit_batches', 'context_costs', 'tool_snapshots']

/** A backup that is there. */
interface Backup {
  readonly path: string
  readonly at: number
}

/** Copies of what was decided, the newest few. They are databases as well: one can be put in the place of a damaged one. */
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

  /** Copies the database of the path, and forgets the oldest copies. */
  make(source: string, now: number): Backup {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const path = join(this.#folder, `${PREFIX}${new Date(now).toISOString().replaceAll(':', '-')}${SUFFIX}`)
    const temporary = `${path}.${process.pid}.tmp`
    try {
      closeSync(openSync(temporary, 'w', 0o600))
      copyDecisions(source, temporary)
      renameSync(temporary, path)
    } finally {
      rmSync(temporary, { force: true })
    }
    for (const { path: old } of this.list().slice(KEPT)) rmSync(old, { force: true })
    return { path, at: now }
  }
}

/** All tables, and the rows of those that matter, as they were at one moment. */
function copyDecisions(source: string, target: string): void {
  const database = new DatabaseSync(target, { timeout: 1 })
  try {
    database.prepare('attach ? as source').run(source)
    database.exec('pragma foreign_keys = off; begin')
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

/** A gateway that is started again and again must not push out all backups but the last minutes'. */
const FRESH_MS = 60 * 60 * 1_000
const DAY_MS = 24 * 60 * 60 * 1_000
/** Clients come first. */
const AFTER_START_MS = 3_000

/** What making backups needs. */
interface BackupScheduleOptions {
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
