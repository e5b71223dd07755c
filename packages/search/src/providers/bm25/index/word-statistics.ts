/**
 * The statistics of a catalog of which a corpus holds only the tools that may be found. Scores are then those that the
 * tools have in the whole catalog. Stems that the query does not ask for may be left out everywhere.
 */
export interface WordStatistics {
  /** Tools in the catalog. */
  readonly count: number
  /** Weighted number of words of a tool, in quarters. */
  readonly averageLength: number
  readonly serverCount: number
  readonly averageServerLength: number
  readonly stems: ReadonlyMap<string, StemStatistics>
  /** The servers of the tools that may be found, by the key that their packed terms have. */
  readonly servers: ReadonlyMap<string, ServerStatistics>
}

/** How common a stem is. */
export interface StemStatistics {
  /** Tools that have it. */
  readonly tools: number
  /** Those of them whose server's name has it. */
  readonly inServerName: number
  /** How often tools have it, weighted by field, in quarters. */
  readonly occurrences: number
  /** Servers that have it, in their own text or in the names of their tools. */
  readonly servers: number
}

/** The statistics of a server with all its tools. */
export interface ServerStatistics {
  /** Words of the tools' names. */
  readonly nameLength: number
  /** How often the server's own text and its tools' names have a stem. */
  readonly counts: ReadonlyMap<string, number>
}
