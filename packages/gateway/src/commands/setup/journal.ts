import { join } from 'node:path'
import { isRecord } from '@tooldex/http-kit/json'
import type { WrittenChange } from '../../setup/change-files.ts'
import { readJson, writePrivateJson } from '../gateway/running-gateway.ts'

/** A change of a client's file, and the token that was made for it. */
export interface JournalEntry {
  readonly at: number
  readonly change: WrittenChange
  /** The id of the client's token; absent for changes without one. */
  readonly tokenId?: string
}

/** The record of everything that `tooldex setup` wrote, in the data folder, so that it can be taken back. */
export class SetupJournal {
  readonly #file: string
  /** The folder of the backups. */
  readonly backups: string

  constructor(dataDir: string) {
    this.#file = join(dataDir, 'setup', 'journal.json')
    this.backups = join(dataDir, 'setup', 'backups')
  }

  /** All changes that were not undone, oldest first. */
  entries(): readonly JournalEntry[] {
    const value = readJson(this.#file)
    const entries = isRecord(value) ? value['entries'] : undefined
    return Array.isArray(entries) ? (entries as readonly JournalEntry[]) : []
  }

  add(entry: JournalEntry): void {
    this.#write([...this.entries(), entry])
  }

  /** Forgets changes that were undone. */
  remove(gone: readonly JournalEntry[]): void {
    const marks = new Set(gone.map(markOf))
    this.#write(this.entries().filter((entry) => !marks.has(markOf(entry))))
  }

  #write(entries: readonly JournalEntry[]): void {
    writePrivateJson(this.#file, { version: 1, entries })
  }
}

const markOf = ({ at, change }: JournalEntry): string => `${at} ${change.path} ${change.after}`
