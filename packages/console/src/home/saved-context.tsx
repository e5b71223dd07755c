import { Link } from '@tanstack/react-router'
import type { LoadedTokens } from '@tooldex/contract/admin'
import { useApi } from '../api/queries.ts'
import { Loaded, Skeleton } from '../parts/states.tsx'
import { ShortTime } from '../parts/time.tsx'
import { useSavedWords } from '../savings/use-saved-words.ts'
import { useText } from '../text/text.ts'

/** What agents were spared, as the savings say it; honest where it cost them more. */
export function SavedContext({ tokensIfAllWereListed }: { readonly tokensIfAllWereListed: number }) {
  const { home: words, savings: names, common } = useText()
  const savings = useApi('getSavings', {}, { refetchInterval: 15_000 })
  return (
    <div className="flex flex-col gap-3 p-5 text-sm">
      <Loaded answer={savings} skeleton={<Skeleton className="h-12 w-full" />}>
        {({ total, since }) => (
          <>
            {total.lists + total.searches === 0 ? (
              <p className="text-soft">{words.noLists}</p>
            ) : (
              <SavedSentence total={total} />
            )}
            <p className="text-[13px] text-faint">
              {names.since} <ShortTime at={since} />
            </p>
          </>
        )}
      </Loaded>
      <p className="text-soft">{words.ifAll(common.tokensUnit(tokensIfAllWereListed))}</p>
      <Link to="/savings" className="font-medium text-accent underline">
        {words.moreSavings}
      </Link>
    </div>
  )
}

function SavedSentence({ total }: { readonly total: LoadedTokens }) {
  const { text, isCost } = useSavedWords(total)
  return <p className={isCost ? 'text-bad' : 'text-base font-medium'}>{text}</p>
}
