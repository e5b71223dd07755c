/** Whose list it is. */
export interface ListReader {
  readonly endpointId: string
  readonly projectId: string
  readonly tokenId: string
  /** Legacy sessions only. */
  readonly sessionId?: string
  /** `clientInfo.name`; looked at in sessions only. */
  readonly clientName?: string
}

/** What was loaded into contexts, in tokens, and what would have been, had everything been listed. */
export interface ContextCost {
  /** Lists that began a conversation. */
  readonly lists: number
  readonly searches: number
  /** What these lists would have cost, had they been whole. */
  readonly ifAllWereListed: number
  readonly ofLists: number
  /** What searches answered. */
  readonly ofSearches: number
  /** Definitions that joined a conversation later: a list that grew, a deferred tool that was used. */
  readonly ofSchemas: number
}

/** What one client loaded through one endpoint. */
export interface ClientCost {
  readonly client: Omit<ListReader, 'sessionId'>
  readonly cost: ContextCost
}

/** Nothing was loaded. */
export const NO_COST: ContextCost = Object.freeze({
  lists: 0,
  searches: 0,
  ifAllWereListed: 0,
  ofLists: 0,
  ofSearches: 0,
  ofSchemas: 0,
})
