import { Link } from '@tanstack/react-router'
import type { AdminEndpoint } from '@tooldex/contract/admin'
import { Plug, Plus } from 'lucide-react'
import { useState } from 'react'
import { useApi } from '../api/queries.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { FileBadge } from '../parts/file-badge.tsx'
import { Card, Page } from '../parts/page.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { useText } from '../text/text.ts'
import { CreateEndpointDialog } from './create-endpoint-dialog.tsx'

/** All endpoints. */
export function EndpointsPage() {
  const { endpoints: words, common } = useText()
  const endpoints = useApi('listEndpoints', {})
  const [isCreating, setIsCreating] = useState(false)
  const create = (
    <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setIsCreating(true)}>
      {words.create}
    </Button>
  )
  return (
    <Page title={common.pages.endpoints} lead={words.lead} actions={create}>
      <Card>
        <Loaded answer={endpoints}>
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState icon={<Plug size={24} aria-hidden />} title={words.create} action={create} />
            ) : (
              <EndpointTable endpoints={items} />
            )
          }
        </Loaded>
      </Card>
      <CreateEndpointDialog open={isCreating} onClose={() => setIsCreating(false)} />
    </Page>
  )
}

function EndpointTable({ endpoints }: { readonly endpoints: readonly AdminEndpoint[] }) {
  const { endpoints: words, common } = useText()
  const columns: readonly Column<AdminEndpoint>[] = [
    {
      id: 'id',
      title: words.endpoint,
      cell: (endpoint) => (
        <span className="flex flex-wrap items-center gap-2">
          <Link to="/endpoints/$endpoint" params={{ endpoint: endpoint.id }} className="font-medium hover:underline">
            {endpoint.id}
          </Link>
          <FileBadge entry={endpoint} />
          {endpoint.auth === 'none' && <Badge tone="warn">{words.noAuth}</Badge>}
          {!endpoint.isServed && (
            <Badge tone="bad" title={words.notServed}>
              404
            </Badge>
          )}
        </span>
      ),
    },
    {
      id: 'address',
      title: words.address,
      cell: ({ path }) => (
        <span className="flex items-center gap-1 font-mono text-[13px]">
          {path}
          <CopyButton text={location.origin + path} what={words.address} />
        </span>
      ),
    },
    {
      id: 'project',
      title: words.project,
      from: 'sm',
      cell: ({ project }) => (
        <Link to="/projects/$project" params={{ project }} className="hover:underline">
          {project}
        </Link>
      ),
    },
    { id: 'exposure', title: words.exposure, from: 'lg', cell: ({ settings }) => settings.exposure.value },
    { id: 'strategy', title: words.strategy, from: 'lg', cell: ({ settings }) => settings.strategy.value ?? words.off },
  ]
  return (
    <Table
      caption={common.pages.endpoints}
      rows={endpoints}
      columns={columns}
      rowKey={({ id }) => id}
      isDimmed={({ isServed }) => !isServed}
    />
  )
}
