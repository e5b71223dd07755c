import type { Flavour, Sql } from '../flavour.ts'
import { contextCosts } from './context-costs.ts'
import { failureIndexes } from './failure-indexes.ts'
import { firstTables } from './first-tables.ts'

/** A step from one version of the tables to the next. Never changed once released. */
export interface Migration {
  /** Counts from 1, without gaps. */
  readonly version: number
  readonly name: string
  readonly up: (transaction: Sql, flavour: Flavour) => Promise<void>
}

/** All steps, in order. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'first tables', up: firstTables },
  { version: 2, name: 'failures by who and where', up: failureIndexes },
  { version: 3, name: 'what clients loaded', up: contextCosts },
]
