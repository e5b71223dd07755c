/** The client that reads a list. */
export interface ListReader {
  readonly endpointId: string
  readonly projectId: string
  readonly tokenId: string
  /** Legacy sessions only. */
  readonly sessionId?: string
  /** `clientInfo.name`; in sessions only. */
  readonly clientName?: string
  /** `clientInfo.version`. */
  readonly clientVersion?: string
}

/** The tokens loaded into contexts, and the tokens of a complete list for comparison. */
export interface ContextCost {
  /** The number of lists at the start of a conversation. */
  readonly lists: number
  readonly searches: number
  /** The tokens of these lists if they had been complete. */
  readonly ifAllWereListed: number
  readonly ofLists: number
  /** The tokens of search results. */
  readonly ofSearches: number
  /** The tokens of definitions loaded later: a list that grew, a deferred tool that was used. */
  readonly ofSchemas: number
}

/** The cost of one client on one endpoint. */
export interface ClientCost {
  readonly client: Omit<ListReader, 'sessionId' | 'clientVersion'>
  readonly cost: ContextCost
}

/** The cost of a client that loaded nothing. */
export const NO_COST: ContextCost = Object.freeze({
  lists: 0,
  searches: 0,
  ifAllWereListed: 0,
  ofLists: 0,
  ofSearches: 0,
  ofSchemas: 0,
})
