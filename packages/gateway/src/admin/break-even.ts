import type { EndpointSaving } from '@tooldex/contract/admin'
import type { ContextCost } from '../model/context-cost.ts'

/** What a search costs until one was measured: about what ten summaries and one whole tool take. */
const ASSUMED_PER_SEARCH = 600

/**
 * How many searches for each list cost as much as listing everything would; undefined where the list alone saves nothing.
 * What a search costs is measured where somebody searched.
 */
export function breakEvenOf(cost: ContextCost): EndpointSaving['breakEven'] {
  const { lists, searches, ifAllWereListed, ofLists, ofSearches, ofSchemas } = cost
  if (lists === 0 || ifAllWereListed <= ofLists) return undefined
  const isMeasured = searches > 0
  const perSearch = isMeasured ? Math.max(1, Math.ceil((ofSearches + ofSchemas) / searches)) : ASSUMED_PER_SEARCH
  const savedPerList = (ifAllWereListed - ofLists) / lists
  return { searches: Math.floor(savedPerList / perSearch), tokensPerSearch: perSearch, isMeasured }
}
