import { Link, type LinkProps } from '@tanstack/react-router'
import type { LoadedTokens, Overview } from '@tooldex/contract/admin'
import { Boxes, CircleCheck, KeyRound, Plug, Server, TriangleAlert } from 'lucide-react'
import { useApi } from '../api/queries.ts'
import { classNames } from '../parts/class-names.ts'
import { Figure } from '../parts/figure.tsx'
import { Card, Page } from '../parts/page.tsx'
import { useRefusal } from '../parts/role.tsx'
import { Loaded, Skeleton } from '../parts/states.tsx'
import { ShortTime } from '../parts/time.tsx'
import { UntrustedText, WithCode } from '../parts/untrusted-text.tsx'
import { useSavedWords } from '../savings/use-saved-words.ts'
import { type Text, useText } from '../text/text.ts'
import { Activity, useLastDay } from './activity.tsx'

/** The state of the gateway at a glance. */
export function HomePage() {
  const { home: words, common } = useText()
  // All three are asked for at once: on a slow line each would wait for the one before it.
  const overview = useApi('getOverview', {}, { refetchInterval: 15_000 })
  const savings = useApi('getSavings', {}, { refetchInterval: 15_000 })
  const lastDay = useLastDay()
  return (
    <Page title={common.pages.home} lead={words.lead}>
      <Loaded answer={overview} skeleton={<Skeletons />}>
        {(loaded) => (
          <>
            <Figures overview={loaded} />
            <FirstSteps overview={loaded} />
            {loaded.troubles.length > 0 && (
              <Card title={words.problems}>
                <Troubles troubles={loaded.troubles} />
              </Card>
            )}
            <div className="grid gap-5 xl:grid-cols-[2fr_1fr]">
              <Card title={words.activity} actions={<ActivityLinks {...loaded.lastDay} />}>
                <Activity lastDay={lastDay} />
              </Card>
              <Card title={words.savings}>
                <SavedContext savings={savings} tokensIfAllWereListed={loaded.tokensIfAllWereListed} />
              </Card>
            </div>
            {loaded.troubles.length === 0 && (
              <Card title={words.problems}>
                <p className="flex items-center gap-2.5 p-5 text-sm text-soft">
                  <CircleCheck size={18} className="text-good" aria-hidden />
                  {words.noProblems}
                </p>
              </Card>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Figures({ overview }: { readonly overview: Overview }) {
  const { home: words } = useText()
  const { byState, all } = overview.servers
  const running = byState['running'] ?? 0
  const { client, admin, expired } = overview.tokens
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure label={words.servers} value={running} note={words.serverStates(byState, all)} to="/servers" />
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

const ACTIVITY_LINK =
  'text-[13px] text-accent-strong underline decoration-accent/40 underline-offset-2 hover:decoration-accent'

/** The share of failed requests, linked to them, and the audit of the last hour. */
function ActivityLinks({ searches, calls, errors }: Overview['lastDay']) {
  const { home: words } = useText()
  return (
    <span className="flex flex-wrap gap-x-4 gap-y-1">
      {errors > 0 && (
        <Link to="/audit" search={{ range: 'day', outcome: 'error' }} className={ACTIVITY_LINK}>
          {words.failed(errors, (100 * errors) / (searches + calls))}
        </Link>
      )}
      <Link to="/audit" search={{ range: 'hour' }} className={ACTIVITY_LINK}>
        {words.lastHour}
      </Link>
    </span>
  )
}

function Troubles({ troubles }: { readonly troubles: Overview['troubles'] }) {
  const { home: words } = useText()
  return (
    <ul className="divide-y divide-line">
      {troubles.map((trouble) => (
        <li key={`${trouble.about} ${trouble.message}`}>
          <Link {...pageOf(trouble)} className="group flex items-start gap-3 px-5 py-3.5 text-sm hover:bg-sunken/60">
            <TriangleAlert size={18} className="mt-0.5 shrink-0 text-warn" aria-hidden />
            <span className="min-w-0">
              <span className="block font-medium">
                <UntrustedText>{words.about(...subjectOf(trouble.about))}</UntrustedText>
              </span>
              <span className="block text-soft">
                <WithCode>{trouble.message.slice(0, 500)}</WithCode>
              </span>
              <span className="block text-accent-strong underline decoration-accent/40 underline-offset-2 group-hover:decoration-accent">
                <WithCode>{remedyOf(trouble, words.remedies)}</WithCode>
              </span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

type Trouble = Overview['troubles'][number]

/** The page that helps. */
function pageOf({ about, page, within = 'day' }: Trouble): Pick<LinkProps, 'to' | 'params' | 'search'> {
  if (page === 'review') return { to: '/review' }
  if (page === 'failures') return { to: '/audit', search: { range: within, outcome: 'error' } }
  if (page === 'settings') return { to: '/settings' }
  const [kind, id] = subjectOf(about)
  if (kind === 'server') return { to: '/servers/$server', params: { server: id }, search: { tab: 'logs' } }
  if (kind === 'project') return { to: '/projects/$project', params: { project: id } }
  if (kind === 'endpoint') return { to: '/endpoints/$endpoint', params: { endpoint: id } }
  return { to: '/settings' }
}

/** What to do, in the words of the console where a page of it shows the trouble; else in those of the gateway. */
function remedyOf({ page, remedy }: Trouble, remedies: Text['home']['remedies']): string {
  return page === 'review' || page === 'failures' ? remedies[page] : remedy
}

/** The kind and the id in `server github`. */
function subjectOf(about: string): [kind: string, id: string] {
  const [kind = '', ...rest] = about.split(' ')
  return [kind, rest.join(' ')]
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

/** The steps from an empty gateway to the first agent. Hidden once they are done, and from those who cannot take them. */
function FirstSteps({ overview }: { readonly overview: Overview }) {
  const { home: words } = useText()
  const isConnected = useIsConnected()
  const refusal = useRefusal('createServer')
  const steps = [
    { ...words.steps.server, icon: Server, to: '/servers', search: { add: '1' }, isDone: overview.servers.all > 0 },
    { ...words.steps.project, icon: Boxes, to: '/projects', search: {}, isDone: overview.projects > 1 },
    { ...words.steps.token, icon: KeyRound, to: '/tokens', search: { add: '1' }, isDone: overview.tokens.client > 0 },
    { ...words.steps.connect, icon: Plug, to: '/endpoints', search: {}, isDone: isConnected === true },
  ] as const
  const isUnderWay = overview.servers.all === 0 || overview.tokens.client === 0 || isConnected === false
  if (!isUnderWay || refusal !== undefined) return null
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

const MOST_COSTLY = 3

/** The saved tokens, or the extra cost. */
function SavedContext({
  savings,
  tokensIfAllWereListed,
}: {
  readonly savings: ReturnType<typeof useApi<'getSavings'>>
  readonly tokensIfAllWereListed: number
}) {
  const { home: words, savings: names, common } = useText()
  return (
    <div className="flex flex-col gap-3 p-5 text-sm">
      <Loaded answer={savings} skeleton={<Skeleton className="h-12 w-full" />}>
        {({ total, since, endpoints }) => (
          <>
            {total.lists + total.searches === 0 ? (
              <p className="text-soft">{words.noLists}</p>
            ) : (
              <SavedSentence total={total} />
            )}
            <p className="text-[13px] text-faint">
              {names.since} <ShortTime at={since} />
            </p>
            {endpoints
              .filter(({ tokensListed, tokensIfAllWereListed: all }) => tokensListed > all && all > 0)
              .slice(0, MOST_COSTLY)
              .map(({ endpoint, project, tokensListed, tokensIfAllWereListed: all }) => (
                <Link
                  key={endpoint}
                  to="/projects/$project"
                  params={{ project }}
                  className="rounded-xl border border-warn/30 bg-warn-soft px-3 py-2 text-[13px] text-warn hover:border-warn"
                >
                  <UntrustedText>
                    {words.costsMore(endpoint, common.tokensUnit(tokensListed), common.tokensUnit(all))}
                  </UntrustedText>
                </Link>
              ))}
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
