import type { LoadedTokens } from '@tooldex/contract/admin'
import { PiggyBank } from 'lucide-react'
import type { ReactNode } from 'react'
import { useApi } from '../api/queries.ts'
import { Figure } from '../parts/figure.tsx'
import { Card, Page } from '../parts/page.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { RelativeTime, ShortTime } from '../parts/time.tsx'
import { useText } from '../text/text.ts'
import { ClientSavings, EndpointSavings, ProjectSavings } from './savings-tables.tsx'
import { useSavedWords } from './use-saved-words.ts'

/** The tokens saved or lost by short lists and search. */
export function SavingsPage() {
  const { savings: words, common } = useText()
  const savings = useApi('getSavings', {}, { refetchInterval: 10_000 })
  return (
    <Page title={common.pages.savings} lead={words.lead}>
      <Loaded answer={savings}>
        {({ since, total, clients, projects, endpoints }) => (
          <>
            <Totals total={total} since={since} />
            {clients.length === 0 ? (
              <Card>
                <EmptyState icon={<PiggyBank size={24} aria-hidden />} title={words.empty}>
                  {words.emptyText}
                </EmptyState>
              </Card>
            ) : (
              <>
                <Card title={words.compare}>
                  <div className="flex flex-col gap-4 p-5">
                    <SavedSentence total={total} />
                    <LoadedBars loaded={total} />
                  </div>
                </Card>
                <Card title={words.byClient}>
                  <ClientSavings items={clients} />
                </Card>
                <Card title={words.byProject}>
                  <ProjectSavings items={projects} />
                </Card>
              </>
            )}
            <Card title={words.byEndpoint}>
              <EndpointSavings items={endpoints} />
            </Card>
            <p className="max-w-4xl text-[13px] text-faint">
              {words.estimate} {words.breakEvenHint}
            </p>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Totals({ total, since }: { readonly total: LoadedTokens; readonly since: number }) {
  const { savings: words, common } = useText()
  const { tokensSaved, lists, searches } = total
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure
        label={tokensSaved < 0 ? words.totalCost : words.total}
        value={
          <span className={tokensSaved < 0 ? 'text-bad' : undefined}>{common.tokensUnit(Math.abs(tokensSaved))}</span>
        }
      />
      <Figure label={words.lists} value={lists.toLocaleString()} />
      <Figure label={words.ofSearches} value={searches.toLocaleString()} />
      <Figure label={words.since} value={<ShortTime at={since} />} note={<RelativeTime at={since} />} />
    </div>
  )
}

function SavedSentence({ total }: { readonly total: LoadedTokens }) {
  const { text, isCost } = useSavedWords(total)
  return <p className={isCost ? 'text-sm text-bad' : 'text-sm'}>{text}</p>
}

/** Two bars on one scale: the cost of listing every tool, and the tokens loaded. */
function LoadedBars({ loaded }: { readonly loaded: LoadedTokens }) {
  const { savings: words } = useText()
  const { tokensIfAllWereListed, tokensOfLists, tokensOfSearches, tokensOfSchemas } = loaded
  const sum = tokensOfLists + tokensOfSearches + tokensOfSchemas
  const most = Math.max(1, tokensIfAllWereListed, sum)
  const parts = [
    { label: words.lists, tokens: tokensOfLists, look: 'bg-accent' },
    { label: words.ofSearches, tokens: tokensOfSearches, look: 'bg-accent/60' },
    { label: words.ofSchemas, tokens: tokensOfSchemas, look: 'bg-accent/30' },
  ]
  return (
    <div className="flex flex-col gap-3 text-sm">
      <Bar label={words.ifAll} tokens={tokensIfAllWereListed}>
        <span className="h-full bg-line-strong" style={{ width: share(tokensIfAllWereListed, most) }} />
      </Bar>
      <Bar label={words.loaded} tokens={sum}>
        {parts.map(({ label, tokens, look }) => (
          <span key={label} className={`h-full ${look}`} style={{ width: share(tokens, most) }} />
        ))}
      </Bar>
      <ul className="flex flex-wrap gap-x-6 gap-y-1">
        {parts.map(({ label, tokens, look }) => (
          <li key={label} className="flex items-center gap-2">
            <span className={`size-2.5 rounded-sm ${look}`} aria-hidden />
            <span className="text-soft">{label}</span>
            <span className="font-medium tabular-nums">{tokens.toLocaleString()}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Bar({
  label,
  tokens,
  children,
}: {
  readonly label: string
  readonly tokens: number
  readonly children: ReactNode
}) {
  return (
    <div className="flex flex-col gap-1">
      <div className="flex justify-between gap-4">
        <span className="text-soft">{label}</span>
        <span className="font-medium tabular-nums">{tokens.toLocaleString()}</span>
      </div>
      <div className="flex h-3 overflow-hidden rounded-full bg-sunken" aria-hidden>
        {children}
      </div>
    </div>
  )
}

const share = (tokens: number, of: number): string => `${(100 * tokens) / of}%`
