import type { LoadedTokens } from '@tooldex/contract/admin'
import type { ReactNode } from 'react'
import { useText } from '../text/text.ts'

/** Everything listed above, what was loaded below, on one scale: the eye compares them, the figures beside say it. */
export function LoadedBars({ loaded }: { readonly loaded: LoadedTokens }) {
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
