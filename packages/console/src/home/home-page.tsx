import { Link } from '@tanstack/react-router'
import type { LoadedTokens, Overview } from '@tooldex/contract/admin'
import { Boxes, CircleCheck, KeyRound, Plug, Server, TriangleAlert } from 'lucide-react'
import { useApi } from '../api/queries.ts'
import { classNames } from '../parts/class-names.ts'
import { Figure } from '../parts/figure.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Loaded, Skeleton } from '../parts/states.tsx'
import { ShortTime } from '../parts/time.tsx'
import { UntrustedText, WithCode } from '../parts/untrusted-text.tsx'
import { useSavedWords } from '../savings/use-saved-words.ts'
import { useText } from '../text/text.ts'
import { Activity } from './activity.tsx'

/** The state of the gateway at a glance. */
export function HomePage() {
  const { home: words, common } = useText()
  const overview = useApi('getOverview', {}, { refetchInterval: 15_000 })
  return (
    <Page title={common.pages.home} lead={words.lead}>
      <Loaded answer={overview} skeleton={<Skeletons />}>
        {(loaded) => (
          <>
            <Figures overview={loaded} />
            <FirstSteps overview={loaded} />
            <div className="grid gap-5 xl:grid-cols-[2fr_1fr] min-[120rem]:grid-cols-[2fr_1fr_1.25fr]">
              <Card title={words.activity}>
                <Activity />
              </Card>
              <Card title={words.savings}>
                <SavedContext tokensIfAllWereListed={loaded.tokensIfAllWereListed} />
              </Card>
              <Card title={words.problems} className="xl:col-span-2 min-[120rem]:col-span-1">
                <Troubles troubles={loaded.troubles} />
              </Card>
            </div>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Figures({ overview }: { readonly overview: Overview }) {
  const { home: words } = useText()
  const { byState, all } = overview.servers
  const up = (byState['running'] ?? 0) + (byState['idle'] ?? 0)
  const { client, admin, expired } = overview.tokens
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure label={words.servers} value={up} note={words.ofAll(all)} to="/servers" />
      <Figure label={words.tools} value={overview.tools.toLocaleString()} to="/tools" />
      <Figure label={words.projects} value={overview.projects} to="/projects" />
      <Figure
        label={words.tokens}
        value={client}
        note={expired > 0 ? words.expired(expired) : words.admins(admin)}
        to="/tokens"
      />
    </div>
  )
}

function Troubles({ troubles }: { readonly troubles: Overview['troubles'] }) {
  const { home: words } = useText()
  if (troubles.length === 0) {
    return (
      <p className="flex items-center gap-2.5 p-5 text-sm text-soft">
        <CircleCheck size={18} className="text-good" aria-hidden />
        {words.noProblems}
      </p>
    )
  }
  return (
    <ul className="divide-y divide-line">
      {troubles.map(({ about, message, remedy, page }) => (
        <li key={`${about} ${message}`} className="flex items-start gap-3 px-5 py-3.5 text-sm">
          <TriangleAlert size={18} className="mt-0.5 shrink-0 text-warn" aria-hidden />
          <div className="min-w-0">
            <p className="font-medium">
              <TroubleLink about={about} />
            </p>
            <p className="text-soft">
              <WithCode>{message.slice(0, 500)}</WithCode>
            </p>
            <Remedy about={about} remedy={remedy} page={page} />
          </div>
        </li>
      ))}
    </ul>
  )
}

/** Links `server github` to the page of the server. */
function TroubleLink({ about }: { readonly about: string }) {
  const server = serverOf(about)
  if (server === undefined) return about
  return (
    <Link to="/servers/$server" params={{ server }} className="hover:underline">
      <UntrustedText>{about}</UntrustedText>
    </Link>
  )
}

/** Links to the page that helps: for what waits for approval the review, for other troubles of a server its log. */
function Remedy({ about, remedy, page }: Pick<Overview['troubles'][number], 'about' | 'remedy' | 'page'>) {
  const server = serverOf(about)
  const look = 'text-accent-strong underline decoration-accent/40 underline-offset-2 hover:decoration-accent'
  if (page === 'review') {
    return (
      <Link to="/review" className={look}>
        <WithCode>{remedy}</WithCode>
      </Link>
    )
  }
  if (server === undefined) {
    return (
      <p className="text-accent-strong">
        <WithCode>{remedy}</WithCode>
      </p>
    )
  }
  return (
    <Link to="/servers/$server" params={{ server }} search={{ tab: 'logs' }} className={look}>
      <WithCode>{remedy}</WithCode>
    </Link>
  )
}

function serverOf(about: string): string | undefined {
  return about.startsWith('server ') ? about.slice('server '.length) : undefined
}

function Skeletons() {
  return (
    <>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        {['servers', 'tools', 'projects', 'tokens'].map((figure) => (
          <Skeleton key={figure} className="h-25 w-full rounded-2xl" />
        ))}
      </div>
      <div className="grid gap-5 xl:grid-cols-[2fr_1fr]">
        <Skeleton className="h-76 w-full rounded-2xl" />
        <Skeleton className="h-76 w-full rounded-2xl" />
      </div>
    </>
  )
}

/** The steps from an empty gateway to the first agent. Hidden once they are done. */
function FirstSteps({ overview }: { readonly overview: Overview }) {
  const { home: words } = useText()
  const isConnected = useIsConnected()
  const steps = [
    { ...words.steps.server, icon: Server, to: '/servers', search: { add: '1' }, isDone: overview.servers.all > 0 },
    { ...words.steps.project, icon: Boxes, to: '/projects', search: {}, isDone: overview.projects > 1 },
    { ...words.steps.token, icon: KeyRound, to: '/tokens', search: { add: '1' }, isDone: overview.tokens.client > 0 },
    { ...words.steps.connect, icon: Plug, to: '/endpoints', search: {}, isDone: isConnected === true },
  ] as const
  const isUnderWay = overview.servers.all === 0 || overview.tokens.client === 0 || isConnected === false
  if (!isUnderWay) return null
  const next = steps.findIndex(({ isDone }) => !isDone)
  return (
    <Card title={words.start}>
      <p className="px-5 pt-4 text-sm text-soft">{words.startLead}</p>
      <ol className="grid gap-3 p-5 sm:grid-cols-2 xl:grid-cols-4">
        {steps.map(({ title, text, icon: Icon, to, search, isDone }, place) => (
          <li key={title}>
            <Link
              to={to}
              search={search}
              className={classNames(
                'flex h-full flex-col gap-2 rounded-xl border p-4 text-sm transition-colors hover:border-accent',
                place === next ? 'border-accent bg-accent-soft/50' : 'border-line',
              )}
            >
              <span className="flex items-center gap-2 font-medium">
                <Icon size={17} className="text-accent" aria-hidden />
                {title}
                {isDone && <CircleCheck size={16} className="ml-auto text-good" aria-label={words.done} />}
              </span>
              <span className="text-soft">{text}</span>
            </Link>
          </li>
        ))}
      </ol>
    </Card>
  )
}

/** Whether an agent has ever connected; undefined while loading. */
function useIsConnected(): boolean | undefined {
  const savings = useApi('getSavings', {}).data
  const tokens = useApi('listTokens', {}).data
  if (savings === undefined || tokens === undefined) return undefined
  return (
    savings.total.lists > 0 ||
    tokens.items.some(({ kind, lastUsedAt }) => kind === 'client' && lastUsedAt !== undefined)
  )
}

/** The saved tokens, or the extra cost. */
function SavedContext({ tokensIfAllWereListed }: { readonly tokensIfAllWereListed: number }) {
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
