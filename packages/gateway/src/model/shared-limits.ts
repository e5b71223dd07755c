/** Asks for tokens of a bucket that all replicas share. It holds `perMinute` tokens and refills continuously. */
export interface AskedLease {
  readonly key: string
  readonly perMinute: number
  /** Fewer are granted if the bucket has fewer. */
  readonly wanted: number
  /** Tokens of an earlier lease that were not used. */
  readonly returned: number
}

/** Tokens that this replica may spend. */
export interface Lease {
  readonly key: string
  readonly granted: number
  /** When the bucket has its next token, in milliseconds from now. */
  readonly nextMs: number
}

/** What a replica publishes about itself. */
export interface ReplicaReport {
  /** New with every start. */
  readonly id: string
  readonly version: string
  /** A hash of what its configuration declares, for each of its secret keys. */
  readonly file: string
  /** What it has open, by the key of a limit. */
  readonly counts: Readonly<Record<string, number>>
}

/** What holds for all replicas on one database. Times are those of the database, so that clocks of machines do not matter. */
export interface SharedLimits {
  /** Takes tokens. Fails quickly if the database is unavailable. */
  lease(asked: readonly AskedLease[]): Promise<readonly Lease[]>
  /** Publishes a report. Resolves to the reports of the other replicas that run, and to the time. */
  report(own: ReplicaReport): Promise<{ readonly now: number; readonly others: readonly ReplicaReport[] }>
  /** Removes the report of a replica that stops. */
  leave(id: string): Promise<void>
}

/** Counts wrong tokens per address. */
export interface FailedAttempts {
  /** Counts one. @throws GatewayError TOO_MANY_ATTEMPTS beyond the limit, also as a rejection */
  failed(address: string): void | Promise<void>
}
