import { Link } from '@tanstack/react-router'
import type { AdminEndpoint } from '@tooldex/contract/admin'
import { Plug } from 'lucide-react'
import { useApi } from '../api/queries.ts'
import { Badge } from '../parts/badge.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { FileBadge } from '../parts/file-badge.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { RowLink, RowName } from '../parts/row-name.tsx'
import type { Column } from '../parts/table.tsx'
import { settingWords } from '../projects/setting-words.ts'
import { type Text, useText } from '../text/text.ts'
import { CreateEndpointDialog } from './create-endpoint-dialog.tsx'

/** All endpoints. */
export function EndpointsPage() {
  const text = useText()
  const { endpoints: words, common } = text
  return (
    <ListPage
      title={common.pages.endpoints}
      lead={words.lead}
      answer={useApi('listEndpoints', {})}
      columns={columnsIn(text)}
      isDimmed={({ isServed }) => !isServed}
      add={words.create}
      dialog={(close) => <CreateEndpointDialog onClose={close} />}
      empty={{ icon: Plug, title: words.create }}
    />
  )
}

function columnsIn(text: Text): readonly Column<AdminEndpoint>[] {
  const { endpoints: words } = text
  return [
    {
      id: 'id',
      title: words.endpoint,
      cell: (endpoint) => (
        <RowName>
          <RowLink to="/endpoints/$endpoint" params={{ endpoint: endpoint.id }}>
            {endpoint.id}
          </RowLink>
          <FileBadge entry={endpoint} />
          {endpoint.auth === 'none' && <Badge tone="warn">{words.noAuth}</Badge>}
          {!endpoint.isServed && (
            <Badge tone="bad" title={words.notServed}>
              404
            </Badge>
          )}
        </RowName>
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
    {
      id: 'exposure',
      title: words.exposure,
      from: 'lg',
      cell: ({ settings }) => settingWords('exposure', settings.exposure.value, text),
    },
    {
      id: 'strategy',
      title: words.strategy,
      from: 'lg',
      cell: ({ settings }) => settingWords('strategy', settings.strategy.value, text),
    },
  ]
}
