import { join } from 'node:path'

/** Where things are in the data folder. */
export interface DataPaths {
  /** The lists that servers gave last, one file each. */
  readonly lastGood: string
  /** The audit log of earlier releases. */
  readonly audit: string
  /** The SQLite file, where no other database is named. */
  readonly database: string
  /** That a gateway runs, and where: for the program's own commands. */
  readonly runRecord: string
  /** What its servers are doing. */
  readonly serverStates: string
}

/** The paths within a data folder. */
export function dataPaths(dataDir: string): DataPaths {
  return {
    lastGood: join(dataDir, 'last-good'),
    audit: join(dataDir, 'audit.jsonl'),
    database: join(dataDir, 'tooldex.db'),
    runRecord: join(dataDir, 'gateway.json'),
    serverStates: join(dataDir, 'servers.json'),
  }
}
