import { join } from 'node:path'
import { isRecord } from '@tooldex/http-kit/json'
import { type Undone, undoChange, type WrittenChange } from '../change-files.ts'
import { readJson, writePrivateJson } from '../../private-files.ts'

/** A change of a client's file, and the token that was made for it. */
export interface JournalEntry {
  readonly at: number
  readonly change: WrittenChange
  /** The id of the client's token; absent for changes without one. */
  readonly tokenId?: string
}

/** The record of everything that was written into clients' files, in the data folder, so that it can be taken back. */
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

  /** Takes a change back and forgets it, unless that fails. */
  undo(entry: JournalEntry): Undone {
    const undone = undoChange(entry.change, this.backups)
    if (undone.outcome !== 'failed') this.remove(entry)
    return undone
  }

  /** Forgets a change that was undone, or never made. */
  remove(gone: JournalEntry): void {
    this.#write(this.entries().filter((entry) => markOf(entry) !== markOf(gone)))
  }

  #write(entries: readonly JournalEntry[]): void {
    writePrivateJson(this.#file, { version: 1, entries })
  }
}

const markOf = ({ at, change }: JournalEntry): string => `${at} ${change.path} ${change.after}`
