import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { AdminServer } from '@tooldex/contract/admin'
import { LogIn, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { useApi } from '../api/queries.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { FileBadge } from '../parts/file-badge.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { RelativeTime } from '../parts/time.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { WithCode } from '../parts/with-code.tsx'
import { useText } from '../text/text.ts'
import { ServerLogs } from './server-logs.tsx'
import { ServerMenu, useLogIn } from './server-menu.tsx'
import { ServerSettings } from './server-settings.tsx'
import { ServerState } from './server-state.tsx'
import { ServerTools } from './server-tools.tsx'
import { useServerChanges } from './use-server-changes.ts'

/** One server: its tools, its log, its settings. */
export function ServerPage() {
  const { server: id } = useParams({ from: '/servers/$server' })
  const { tab = 'tools' } = useSearch({ strict: false })
  const { servers: words } = useText()
  const navigate = useNavigate()
  const server = useApi('getServer', { params: { server: id } })
  return (
    <Page
      title={<UntrustedText>{server.data?.name ?? id}</UntrustedText>}
      tabTitle={server.data?.name ?? id}
      among="servers"
      actions={server.data !== undefined && <Actions server={server.data} />}
    >
      <Loaded answer={server}>
        {(loaded) => (
          <>
            <Facts server={loaded} />
            <Card>
              <Tabs
                label={words.tabsLabel}
                value={tab}
                onChange={(next) => void navigate({ to: '.', search: { tab: next }, replace: true })}
                tabs={[
                  { id: 'tools', title: words.tabs.tools, content: <ServerTools server={loaded} /> },
                  { id: 'logs', title: words.tabs.logs, content: <ServerLogs server={loaded} /> },
                  {
                    id: 'settings',
                    title: words.tabs.settings,
                    content: <ServerSettings key={loaded.revision} server={loaded} />,
                  },
                ]}
              />
            </Card>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Actions({ server }: { readonly server: AdminServer }) {
  const { servers: words } = useText()
  const { restart, params } = useServerChanges(server)
  const logIn = useLogIn(server.id)
  return (
    <>
      {server.status?.state === 'needs-login' && (
        <Button kind="primary" icon={<LogIn size={16} aria-hidden />} onClick={logIn}>
          {words.login}
        </Button>
      )}
      <Button
        icon={<RotateCw size={15} aria-hidden />}
        disabled={!server.enabled}
        busy={restart.isPending}
        onClick={() => restart.mutate({ params })}
      >
        {words.restart}
      </Button>
      <ServerMenu server={server} />
    </>
  )
}

function Facts({ server }: { readonly server: AdminServer }) {
  const { servers: words } = useText()
  const { status } = server
  const error = status?.state === 'running' ? undefined : (status?.lastError?.message ?? server.problem)
  return (
    <div className="flex flex-col gap-3">
      <dl className="flex flex-wrap items-center gap-x-6 gap-y-2 text-sm">
        <dt className="sr-only">{words.state}</dt>
        <dd className="flex items-center gap-2">
          <ServerState server={server} />
          <FileBadge entry={server} />
        </dd>
        {status !== undefined && <Fact title={words.since}>{<RelativeTime at={status.since} />}</Fact>}
        {status?.pid !== undefined && <Fact title={words.pid}>{status.pid}</Fact>}
        {status?.era !== undefined && <Fact title={words.era}>{words.eras[status.era]}</Fact>}
        {status !== undefined && status.restarts > 0 && <Fact title={words.restarts}>{status.restarts}</Fact>}
        {server.projects.length > 0 && (
          <Fact title={words.projects}>
            <span className="inline-flex gap-1.5">
              {server.projects.map((project) => (
                <Badge key={project}>{project}</Badge>
              ))}
            </span>
          </Fact>
        )}
      </dl>
      {error !== undefined && (
        <p className="rounded-xl border border-bad/30 bg-bad-soft px-4 py-3 text-sm text-bad">
          <WithCode>{error.slice(0, 2_000)}</WithCode>
        </p>
      )}
      {server.remarks.length > 0 && (
        <details className="rounded-xl border border-warn/30 bg-warn-soft px-4 py-3 text-sm text-warn">
          <summary className="cursor-pointer font-medium">
            {words.remarks} ({server.remarks.length})
          </summary>
          <ul className="mt-2 list-disc pl-5">
            {server.remarks.map((remark) => (
              <li key={remark}>
                <UntrustedText>{remark}</UntrustedText>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function Fact({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="flex items-center gap-1.5">
      <dt className="text-faint">{title}</dt>
      <dd>{children}</dd>
    </div>
  )
}
