import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { AdminServer } from '@tooldex/contract/admin'
import { LogIn, RotateCw, ScrollText } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { addressOf, call } from '../api/call.ts'
import { followStream } from '../api/events.ts'
import { checkSession, useApi } from '../api/queries.ts'
import { Badge, FileBadge, FileNote } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { ChangeForm, editing } from '../parts/forms/change-form.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Card, Page } from '../parts/page.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { Switch } from '../parts/switch.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { RelativeTime } from '../parts/time.tsx'
import { UntrustedText, WithCode } from '../parts/untrusted-text.tsx'
import { useEditForm } from '../parts/forms/use-edit-form.ts'
import { useLanguage, useText } from '../text/text.ts'
import { useProjectName } from '../tools/use-project-tools.ts'
import { MissingValues } from './missing-values.tsx'
import { draftOf, patchOf, SERVER_FIELDS } from './server-draft.ts'
import { ServerForm } from './server-form.tsx'
import { ServerMenu, useLogIn } from './server-menu.tsx'
import { ServerState } from './server-state.tsx'
import { ServerTools } from './server-tools.tsx'
import { TestConnection, useServerTest } from './test-connection.tsx'
import { UsageFigures } from '../audit/usage-figures.tsx'
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
            <UsageFigures server={id} />
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
                    content: <ServerSettings key={loaded.id} server={loaded} />,
                    isKept: true,
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
        <Button kind="primary" needs="loginServer" icon={<LogIn size={16} aria-hidden />} onClick={logIn}>
          {words.login}
        </Button>
      )}
      <Button
        needs="restartServer"
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
  const projectName = useProjectName()
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
        {status?.instances?.perClient === true && <Fact title={words.clientProcesses}>{status.instances.running}</Fact>}
        {server.projects.length > 0 && (
          <Fact title={words.projects}>
            <span className="inline-flex gap-1.5">
              {server.projects.map((project) => (
                <Link key={project} to="/projects/$project" params={{ project }}>
                  <Badge>{projectName(project)}</Badge>
                </Link>
              ))}
            </span>
          </Fact>
        )}
      </dl>
      <MissingValues key={server.id} server={server} />
      {error !== undefined && server.missingValues === undefined && (
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

interface LogLine {
  readonly at: number
  readonly line: string
}

const MOST_LINES = 1_000

/** The standard error of a server, live. */
function ServerLogs({ server }: { readonly server: AdminServer }) {
  const { servers: words } = useText()
  const language = useLanguage()
  const lines = useLogLines(server.id)
  const [isFollowing, setIsFollowing] = useState(true)
  const end = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isFollowing && lines.length > 0) end.current?.scrollIntoView({ block: 'nearest' })
  }, [lines, isFollowing])
  if (lines.length === 0) return <EmptyState icon={<ScrollText size={24} aria-hidden />} title={words.noLogs} />
  return (
    <div className="flex flex-col gap-3 p-5">
      <Switch label={words.follow} checked={isFollowing} onChange={setIsFollowing} />
      <div
        role="log"
        aria-label={words.logsOf(server.name)}
        // Focusable for keyboard scrolling.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="max-h-[32rem] overflow-auto rounded-xl border border-line bg-sunken p-3 font-mono text-[12.5px] leading-relaxed"
      >
        {lines.map(({ at, line }, place) => (
          <div key={place} className="flex gap-3">
            <time dateTime={new Date(at).toISOString()} className="shrink-0 text-faint">
              {new Date(at).toLocaleTimeString(language)}
            </time>
            <span className="min-w-0 whitespace-pre-wrap">
              <UntrustedText most={4_000}>{line}</UntrustedText>
            </span>
          </div>
        ))}
        <div ref={end} />
      </div>
    </div>
  )
}

/** The stream sends the existing lines, then new ones; a reconnect starts over. */
function useLogLines(server: string): readonly LogLine[] {
  const client = useQueryClient()
  const [lines, setLines] = useState<readonly LogLine[]>([])
  useEffect(
    () =>
      followStream(addressOf('serverLogs', { params: { server } }), {
        events: { line: (line) => setLines((before) => [...before.slice(-MOST_LINES + 1), line as LogLine]) },
        onOpen: () => setLines([]),
        onLost: () => checkSession(client),
      }),
    [client, server],
  )
  return lines
}

/** The settings of a server; read-only if a file declares it. */
function ServerSettings({ server }: { readonly server: AdminServer }) {
  const { servers: words } = useText()
  if (server.managedBy !== 'file') return <ChangeServer server={server} />
  return (
    <div className="flex flex-col gap-4 p-5">
      <FileNote entry={server} />
      <CodeBlock text={JSON.stringify(server.config, null, 2)} what={words.tabs.settings} />
    </div>
  )
}

function ChangeServer({ server }: { readonly server: AdminServer }) {
  const { servers: words, common } = useText()
  const form = useEditForm('changeServer', {
    entry: server,
    draftOf,
    patchOf,
    at: { params: { server: server.id } },
    entryIn: (answer) => answer,
  })
  const test = useServerTest()
  const names: Readonly<Record<string, string>> = {
    name: words.shownName,
    command: words.command,
    env: words.environment,
    url: words.url,
    headers: words.headers,
    start: words.start,
    instances: words.instances,
  }
  return (
    <ChangeForm
      className="max-w-3xl p-5"
      fields={SERVER_FIELDS}
      submit={common.save}
      {...editing(form, (field) => names[field] ?? field)}
      change={{ isPending: form.change.isPending, error: form.change.error ?? test.error }}
    >
      {(problemOf) => (
        <>
          <p className="text-sm text-soft">{words.dangerous}</p>
          <ServerForm
            draft={form.draft}
            onChange={(next) => {
              form.replace(next)
              test.end()
            }}
            problemOf={problemOf}
            isNew={false}
          />
          <TestConnection
            test={test}
            send={(signal) => call('testServer', { params: { server: server.id }, body: patchOf(form.draft), signal })}
          />
        </>
      )}
    </ChangeForm>
  )
}
