import type { AdminServer } from '@tooldex/contract/admin'
import { Server } from 'lucide-react'
import { useApi } from '../api/queries.ts'
import { FileBadge } from '../parts/badge.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { type Column, RowLink, RowName } from '../parts/table.tsx'
import { plainText } from '../parts/invisible-characters.ts'
import { UntrustedText, WithCode } from '../parts/untrusted-text.tsx'
import { type Text, useText } from '../text/text.ts'
import { AddServerDialog } from './add-server-dialog.tsx'
import { shortLine } from './command-line.ts'
import { draftOf } from './server-draft.ts'
import { ServerMenu } from './server-menu.tsx'
import { ServerState } from './server-state.tsx'

/** All servers, in order of priority. */
export function ServersPage() {
  const { servers: words, common } = useText()
  return (
    <ListPage
      title={common.pages.servers}
      lead={words.lead}
      answer={useApi('listServers', {})}
      columns={columnsIn(words, common.more)}
      isDimmed={({ enabled }) => !enabled}
      wordsOf={(server) => `${server.id} ${server.name} ${reachedBy(server)}`}
      add={words.add}
      needs="createServer"
      dialog={(close) => <AddServerDialog onClose={close} />}
      empty={{ icon: Server, title: words.empty, text: words.emptyText }}
    />
  )
}

function columnsIn(words: Text['servers'], more: string): readonly Column<AdminServer>[] {
  return [
    {
      id: 'name',
      title: words.name,
      sortBy: ({ name }) => name,
      cell: (server) => (
        <>
          <RowName>
            <RowLink to="/servers/$server" params={{ server: server.id }}>
              <UntrustedText>{server.name}</UntrustedText>
            </RowLink>
            <FileBadge entry={server} />
          </RowName>
          {/* On small screens the column for this is hidden. */}
          <div className="mt-0.5 lg:hidden">
            <LastError server={server} />
          </div>
        </>
      ),
    },
    {
      id: 'state',
      title: words.state,
      sortBy: ({ status }) => status?.state,
      cell: (server) => <ServerState server={server} />,
    },
    {
      id: 'tools',
      title: words.tools,
      sortBy: ({ counts }) => counts.tools,
      align: 'right',
      cell: (server) => (
        <span title={server.toolsUnknown ?? (server.isLastGood ? words.isLastGood : undefined)}>
          {server.toolsUnknown === undefined ? server.counts.tools.toLocaleString() : words.toolsUnknown}
        </span>
      ),
    },
    {
      id: 'latency',
      title: words.latency,
      sortBy: ({ latency }) => latency?.p50Ms,
      align: 'right',
      from: 'sm',
      cell: ({ latency }) =>
        latency === undefined ? (
          '–'
        ) : (
          <span title={words.latencyOf(round(latency.p50Ms), round(latency.p95Ms))}>{round(latency.p50Ms)} ms</span>
        ),
    },
    {
      id: 'reached',
      title: words.reached,
      from: 'lg',
      // A fixed width, however long the line is.
      className: 'w-1/2 max-w-0',
      cell: (server) => (
        <>
          <LastError server={server} />
          <span className="block truncate font-mono text-[13px] text-faint" title={plainText(reachedBy(server))}>
            <UntrustedText most={300}>{shortLine(reachedBy(server))}</UntrustedText>
          </span>
        </>
      ),
    },
    {
      id: 'more',
      title: <span className="sr-only">{more}</span>,
      align: 'right',
      cell: (server) => <ServerMenu server={server} />,
    },
  ]
}

function LastError({ server }: { readonly server: AdminServer }) {
  const message = server.status?.lastError?.message ?? server.problem
  if (message === undefined || server.status?.state === 'running') return null
  return (
    <span className="line-clamp-4 text-[13px] text-bad lg:line-clamp-2" title={plainText(message)}>
      <WithCode>{message.slice(0, 300)}</WithCode>
    </span>
  )
}

function round(ms: number): number {
  return ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)
}

/** The command line or the URL. */
function reachedBy(server: AdminServer): string {
  const { command, url } = draftOf(server)
  return server.transport === 'stdio' ? command : url
}
