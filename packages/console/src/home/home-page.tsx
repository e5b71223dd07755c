import { Link } from '@tanstack/react-router'
import type { Overview } from '@tooldex/contract/admin'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { useApi } from '../api/queries.ts'
import { Figure } from '../parts/figure.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Loaded, Skeleton } from '../parts/states.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { WithCode } from '../parts/with-code.tsx'
import { useText } from '../text/text.ts'
import { Activity } from './activity.tsx'
import { FirstSteps } from './first-steps.tsx'
import { SavedContext } from './saved-context.tsx'

/** State at a glance. */
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
      {troubles.map(({ about, message, remedy }) => (
        <li key={`${about} ${message}`} className="flex items-start gap-3 px-5 py-3.5 text-sm">
          <TriangleAlert size={18} className="mt-0.5 shrink-0 text-warn" aria-hidden />
          <div className="min-w-0">
            <p className="font-medium">
              <TroubleLink about={about} />
            </p>
            <p className="text-soft">
              <WithCode>{message.slice(0, 500)}</WithCode>
            </p>
            <Remedy about={about} remedy={remedy} />
          </div>
        </li>
      ))}
    </ul>
  )
}

/** `server github` leads to the server. */
function TroubleLink({ about }: { readonly about: string }) {
  const server = serverOf(about)
  if (server === undefined) return about
  return (
    <Link to="/servers/$server" params={{ server }} className="hover:underline">
      <UntrustedText>{about}</UntrustedText>
    </Link>
  )
}

/** Leads to the log, which every remedy of a server begins with. */
function Remedy({ about, remedy }: { readonly about: string; readonly remedy: string }) {
  const server = serverOf(about)
  if (server === undefined) {
    return (
      <p className="text-accent-strong">
        <WithCode>{remedy}</WithCode>
      </p>
    )
  }
  return (
    <Link
      to="/servers/$server"
      params={{ server }}
      search={{ tab: 'logs' }}
      className="text-accent-strong underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
    >
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
