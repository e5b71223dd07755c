import { Link } from '@tanstack/react-router'
import { useApi } from '../api/queries.ts'
import { Loaded, Skeleton } from '../parts/states.tsx'
import { useText } from '../text/text.ts'

/** What agents were spared; honest where it cost them more. */
export function SavedContext({ tokensIfAllWereListed }: { readonly tokensIfAllWereListed: number }) {
  const { home: words, common } = useText()
  const savings = useApi('getSavings', {})
  return (
    <div className="flex flex-col gap-3 p-5 text-sm">
      <Loaded answer={savings} skeleton={<Skeleton className="h-12 w-full" />}>
        {({ items }) => {
          const saved = items.reduce((sum, item) => sum + item.tokensNotLoaded, 0)
          const lists = items.reduce((sum, item) => sum + item.lists, 0)
          if (lists === 0) return <p className="text-soft">{words.noLists}</p>
          return saved < 0 ? (
            <p className="text-bad">{words.costText(common.tokensUnit(-saved))}</p>
          ) : (
            <p className="text-base font-medium">{words.savingsText(common.tokensUnit(saved))}</p>
          )
        }}
      </Loaded>
      <p className="text-soft">{words.ifAll(common.tokensUnit(tokensIfAllWereListed))}</p>
      <Link to="/savings" className="font-medium text-accent underline">
        {words.moreSavings}
      </Link>
    </div>
  )
}
