import type { RouteBodyInput, RouteAnswer } from '@tooldex/contract/admin'
import { ChevronRight } from 'lucide-react'
import { useDeferredValue } from 'react'
import { useApi } from '../api/queries.ts'
import { Badge } from '../parts/badge.tsx'
import { Loaded, Skeleton } from '../parts/states.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { type Text, useText } from '../text/text.ts'
import { choiceName } from './setting-words.ts'

type Seen = RouteAnswer<'previewProject'>['clients'][number]

interface PreviewProps {
  readonly project: string
  readonly asked: RouteBodyInput<'previewProject'>
}

/** A preview beside a form: the tools that agents would see with its unsaved settings. */
export function DisclosurePreview(props: PreviewProps) {
  const { projects: words } = useText()
  return (
    <section aria-label={words.preview} className="flex flex-col gap-3 rounded-xl border border-line bg-sunken p-4">
      <h3 className="text-sm font-semibold">{words.preview}</h3>
      <SeenByClients {...props} />
    </section>
  )
}

/** The listed tools and their cost, for each kind of client. */
export function SeenByClients({ project, asked }: PreviewProps) {
  const { projects: words, common } = useText()
  const body = useDeferredValue(asked)
  const preview = useApi('previewProject', { params: { project }, body }, { placeholderData: (before) => before })
  return (
    <Loaded answer={preview} skeleton={<Skeleton className="h-24 w-full" />}>
      {({ clients, tokensIfAllWereListed }) => (
        <>
          <ul className="flex flex-col gap-2" aria-live="polite">
            {clients.map((seen) => (
              <SeenBy key={seen.client} seen={seen} all={tokensIfAllWereListed} />
            ))}
          </ul>
          <p className="text-[13px] text-faint">{words.ifAll(common.tokensUnit(tokensIfAllWereListed))}</p>
        </>
      )}
    </Loaded>
  )
}

function SeenBy({ seen, all }: { readonly seen: Seen; readonly all: number }) {
  const { projects: words, common } = useText()
  const share = all === 0 ? 0 : Math.min(1, seen.tokens / all)
  return (
    <li className="rounded-lg border border-line bg-surface text-sm">
      <details className="group">
        <summary className="flex cursor-pointer flex-wrap items-center gap-x-2 gap-y-1.5 rounded-lg px-3 py-2.5 hover:bg-sunken/60">
          <span className="flex min-w-0 items-center gap-2 font-medium">
            <ChevronRight
              size={15}
              className="shrink-0 text-faint transition-transform group-open:rotate-90"
              aria-hidden
            />
            {clientName(seen.client, words)}
          </span>
          <Badge tone="accent" title={seen.reason}>
            {choiceName(words.optimization.exposures, seen.exposure)}
          </Badge>
          <span className="ml-auto text-[13px] text-soft tabular-nums">
            {words.listed}: {seen.listed.toLocaleString()} · {common.tokensUnit(seen.tokens)}
          </span>
          <meter aria-label={words.cost} min={0} max={1} value={share} className="h-1.5 w-full" />
        </summary>
        <div className="flex flex-col gap-2 border-t border-line px-3 py-2.5">
          <p className="text-[13px] text-soft">{seen.reason}</p>
          <ul className="flex max-h-40 flex-wrap gap-1.5 overflow-y-auto font-mono text-xs">
            {seen.names.map((name) => (
              <li key={name} className="rounded bg-sunken px-1.5 py-0.5">
                <UntrustedText>{name}</UntrustedText>
              </li>
            ))}
          </ul>
        </div>
      </details>
    </li>
  )
}

function clientName(client: string, words: Text['projects']): string {
  return Object.hasOwn(words.clients, client) ? words.clients[client as keyof typeof words.clients] : client
}
