import { join } from 'node:path'

/** The files and folders in the data folder. */
export interface DataPaths {
  /** The last lists of servers, one file each. */
  readonly lastGood: string
  /** Approved definitions of servers, one file each, where there is no store. */
  readonly pins: string
  /** The audit log of earlier releases. */
  readonly audit: string
  /** Vectors of tools, one file per embedder. */
  readonly vectors: string
  /** Built search indexes, one file per strategy. */
  readonly indexes: string
  /** Answers of registries. */
  readonly registry: string
  /** Large results, for some minutes. */
  readonly results: string
  /** The SQLite file, unless another database is configured. */
  readonly database: string
  /** The record of a running gateway with its address, for commands. */
  readonly runRecord: string
  /** The states of its servers. */
  readonly serverStates: string
}

/** The paths within a data folder. */
export function dataPaths(dataDir: string): DataPaths {
  return {
    lastGood: join(dataDir, 'last-good'),
    pins: join(dataDir, 'pins'),
    vectors: join(dataDir, 'vectors'),
    indexes: join(dataDir, 'indexes'),
    audit: join(dataDir, 'audit.jsonl'),
    registry: join(dataDir, 'registry'),
    results: join(dataDir, 'results'),
    database: join(dataDir, 'tooldex.db'),
    runRecord: join(dataDir, 'gateway.json'),
    serverStates: join(dataDir, 'servers.json'),
  }
}
