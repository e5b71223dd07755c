/** A tool that a caller used after a query, as the store keeps it: one for each project, query, tool and caller. */
export interface StoredUse {
  readonly projectId: string
  /** As the library keeps it, without secrets. */
  readonly query: string
  readonly toolKey: string
  /** The caller: what one token teaches is bounded. */
  readonly tokenId: string
  /** 0 to 1, as of `at`; it decays from then on. */
  readonly weight: number
  readonly at: number
}

/** Selects uses of a project; all given conditions must match. */
export interface UseCondition {
  readonly query?: string
  readonly toolKey?: string
  readonly tokenId?: string
}

/** The state of all stored uses: each change has the next number. */
export interface UseRevision {
  readonly latest: number
  /** The last change that removed uses. */
  readonly forgotten: number
}

/** The storage of learnt uses. All gateways on a database share them. */
export interface UseRepository {
  /** Adds uses to those that are stored. A batch that is sent again under the same id counts once. */
  add(uses: readonly StoredUse[], batchId: string): Promise<void>
  /** Stores uses as they are, in place of stored ones. */
  put(uses: readonly StoredUse[]): Promise<void>
  /** Removes uses of a project; by default all. */
  forget(projectId: string, condition?: UseCondition): Promise<number>
  revision(): Promise<UseRevision>
  /** Uses of these projects that were changed after a revision, in the order of change. */
  changedAfter(revision: number, projectIds: readonly string[]): Promise<readonly StoredUse[]>
  /** All uses of a project, in the order of change. */
  all(projectId: string): Promise<readonly StoredUse[]>
  /** Removes uses that were not repeated since a time. */
  prune(before: number): Promise<void>
}
