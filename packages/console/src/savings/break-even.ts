import type { Saving } from '@tooldex/contract/admin'

/** What a search costs with the schemas of what it found: about what ten summaries and one whole tool take. */
const TOKENS_PER_SEARCH = 600

/** After how many searches in one conversation listing everything would have been cheaper; undefined where nothing is saved. */
export function searchesUntilEven({
  tokensIfAllWereListed,
  tokensListed,
}: Pick<Saving, 'tokensIfAllWereListed' | 'tokensListed'>): number | undefined {
  const saved = tokensIfAllWereListed - tokensListed
  return saved <= 0 ? undefined : Math.floor(saved / TOKENS_PER_SEARCH)
}
