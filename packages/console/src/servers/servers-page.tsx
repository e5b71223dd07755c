import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { AdminServer } from '@tooldex/contract/admin'
import { Plus, Server } from 'lucide-react'
import { useApi } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { FileBadge } from '../parts/file-badge.tsx'
import { Card, Page } from '../parts/page.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { AddServerDialog } from './add-server-dialog.tsx'
import { ServerMenu } from './server-menu.tsx'
import { ServerState } from './server-state.tsx'

/** All servers, in order of priority. */
export function ServersPage() {
  const { servers: words, common } = useText()
  const servers = useApi('listServers', {})
  const { add } = useSearch({ strict: false })
  const navigate = useNavigate()
  // In the address, so that an empty home page can lead here with the dialog open.
  const openDialog = (isOpen: boolean): void => void navigate({ to: '/servers', search: isOpen ? { add: '1' } : {} })
  const addButton = (
    <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={() => openDialog(true)}>
      {words.add}
    </Button>
  )
  return (
    <Page title={common.pages.servers} lead={words.lead} actions={addButton}>
      <Card>
        <Loaded answer={servers}>
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState icon={<Server size={24} aria-hidden />} title={words.empty} action={addButton}>
                {words.emptyText}
              </EmptyState>
            ) : (
              <ServerTable servers={items} />
            )
          }
        </Loaded>
      </Card>
      <AddServerDialog open={add !== undefined} onClose={() => openDialog(false)} />
    </Page>
  )
}

function ServerTable({ servers }: { readonly servers: readonly AdminServer[] }) {
  const { servers: words, common } = useText()
  const columns: readonly Column<AdminServer>[] = [
    {
      id: 'name',
      title: words.name,
      cell: (server) => (
        <span className="flex flex-wrap items-center gap-2">
          <Link to="/servers/$server" params={{ server: server.id }} className="font-medium hover:underline">
            <UntrustedText>{server.name}</UntrustedText>
          </Link>
          <FileBadge entry={server} />
        </span>
      ),
    },
    { id: 'state', title: words.state, cell: (server) => <ServerState server={server} /> },
    {
      id: 'tools',
      title: words.tools,
      align: 'right',
      cell: (server) => (
        <span title={server.isLastGood ? words.isLastGood : undefined}>{server.counts.tools.toLocaleString()}</span>
      ),
    },
    {
      id: 'latency',
      title: words.latency,
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
      id: 'error',
      title: words.lastError,
      from: 'lg',
      className: 'max-w-md',
      cell: (server) => <LastError server={server} />,
    },
    {
      id: 'more',
      title: <span className="sr-only">{common.more}</span>,
      align: 'right',
      cell: (server) => <ServerMenu server={server} />,
    },
  ]
  return (
    <Table
      caption={common.pages.servers}
      rows={servers}
      columns={columns}
      rowKey={({ id }) => id}
      isDimmed={({ enabled }) => !enabled}
    />
  )
}

function LastError({ server }: { readonly server: AdminServer }) {
  const message = server.status?.lastError?.message ?? server.problem
  if (message === undefined || server.status?.state === 'running') return null
  return (
    <span className="line-clamp-2 text-[13px] text-bad">
      <UntrustedText most={300}>{message}</UntrustedText>
    </span>
  )
}

function round(ms: number): number {
  return ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)
}
