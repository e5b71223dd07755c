import { Link } from '@tanstack/react-router'
import type { AdminToken } from '@tooldex/contract/admin'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { useApi } from '../api/queries.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { FileBadge } from '../parts/file-badge.tsx'
import { Card, Page } from '../parts/page.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { RelativeTime } from '../parts/time.tsx'
import { useText } from '../text/text.ts'
import { CreateTokenDialog } from './create-token-dialog.tsx'

/** All tokens. */
export function TokensPage() {
  const { tokens: words, common } = useText()
  const tokens = useApi('listTokens', {})
  const [isCreating, setIsCreating] = useState(false)
  const create = (
    <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setIsCreating(true)}>
      {words.create}
    </Button>
  )
  return (
    <Page title={common.pages.tokens} lead={words.lead} actions={create}>
      <Card>
        <Loaded answer={tokens}>
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState icon={<KeyRound size={24} aria-hidden />} title={words.empty} action={create}>
                {words.emptyText}
              </EmptyState>
            ) : (
              <TokenTable tokens={items} />
            )
          }
        </Loaded>
      </Card>
      <CreateTokenDialog open={isCreating} onClose={() => setIsCreating(false)} />
    </Page>
  )
}

function TokenTable({ tokens }: { readonly tokens: readonly AdminToken[] }) {
  const { tokens: words, common } = useText()
  const columns: readonly Column<AdminToken>[] = [
    {
      id: 'name',
      title: words.name,
      cell: (token) => (
        <span className="flex flex-wrap items-center gap-2">
          <Link to="/tokens/$token" params={{ token: token.id }} className="font-medium hover:underline">
            {token.name}
          </Link>
          {token.kind === 'admin' && <Badge tone="accent">{words.kinds.admin}</Badge>}
          {token.isExpired && <Badge tone="bad">{words.expired}</Badge>}
          <FileBadge entry={token} />
        </span>
      ),
    },
    { id: 'scope', title: words.scope, cell: (token) => <Scope token={token} />, from: 'sm' },
    {
      id: 'expires',
      title: words.expires,
      cell: (token) => (token.expiresAt === undefined ? common.never : <RelativeTime at={token.expiresAt} />),
      from: 'lg',
    },
    {
      id: 'lastUsed',
      title: words.lastUsed,
      cell: (token) => (token.lastUsedAt === undefined ? common.never : <RelativeTime at={token.lastUsedAt} />),
    },
  ]
  return (
    <Table
      caption={common.pages.tokens}
      rows={tokens}
      columns={columns}
      rowKey={({ id }) => id}
      isDimmed={({ isExpired }) => isExpired}
    />
  )
}

/** What a token may use, in a line. */
export function Scope({ token }: { readonly token: AdminToken }) {
  const { tokens: words } = useText()
  if (token.kind === 'admin') return words.kindHint.admin
  if (token.projects?.length === 0) return <span className="text-bad">{words.noProjects}</span>
  const scopes = [...(token.projects ?? []), ...(token.servers ?? [])]
  return (
    <span className="flex flex-wrap gap-1.5">
      {scopes.length === 0 ? words.everything : scopes.map((scope) => <Badge key={scope}>{scope}</Badge>)}
      {token.readOnly && <Badge tone="good">{words.readOnly}</Badge>}
    </span>
  )
}
