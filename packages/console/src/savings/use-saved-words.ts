import type { LoadedTokens } from '@tooldex/contract/admin'
import { useText } from '../text/text.ts'

/** The saved tokens or the extra cost, as a sentence. */
export function useSavedWords({ tokensSaved, tokensIfAllWereListed }: LoadedTokens): {
  readonly text: string
  readonly isCost: boolean
} {
  const { savings: words, common } = useText()
  if (tokensSaved < 0) return { text: words.totalCostText(common.tokensUnit(-tokensSaved)), isCost: true }
  if (tokensSaved === 0) return { text: words.totalEven, isCost: false }
  const share = Math.floor((100 * tokensSaved) / tokensIfAllWereListed)
  return { text: words.totalSaved(common.tokensUnit(tokensSaved), share), isCost: false }
}
