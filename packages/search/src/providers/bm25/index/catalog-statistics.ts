import type { IndexedTool } from '../../../tool/tool.ts'

/**
 * The statistics of a catalog of which the corpus holds only the tools that may be found. Scores are then those that
 * the tools have in the whole catalog. Stems that the query does not ask for may be left out everywhere.
 */
export interface CatalogStatistics {
  readonly count: number
  /** In the units of `TermReader`. */
  readonly averageLength: number
  readonly serverCount: number
  readonly averageServerLength: number
  /** How many tools have a stem. */
  readonly frequencies: ReadonlyMap<string, number>
  /** How many servers have a stem, in their own text or in the names of their tools. */
  readonly serverFrequencies: ReadonlyMap<string, number>
  /** The servers of the tools that may be found, by `serverKey`. */
  readonly servers: ReadonlyMap<string, ServerStatistics>
}

/** The statistics of a server with all its tools. */
export interface ServerStatistics {
  /** Words of the tools' names. */
  readonly nameLength: number
  /** How often the server's own text and its tools' names have a stem. */
  readonly counts: ReadonlyMap<string, number>
}

/** Tells servers apart: by name and what they say of themselves. Absent for a tool that belongs to none. */
export function serverKey({ namespace, namespaceDescription = '' }: IndexedTool): string | undefined {
  return namespace === undefined ? undefined : `${namespace}\0${namespaceDescription}`
}
