import type { AdminToken } from '@tooldex/contract/admin'
import { KeyRound } from 'lucide-react'
import { useApi } from '../api/queries.ts'
import { Badge } from '../parts/badge.tsx'
import { FileBadge } from '../parts/file-badge.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { RowLink, RowName } from '../parts/row-name.tsx'
import type { Column } from '../parts/table.tsx'
import { RelativeTime } from '../parts/time.tsx'
import { type Text, useText } from '../text/text.ts'
import { CreateTokenDialog } from './create-token-dialog.tsx'

/** All tokens. */
export function TokensPage() {
  const { tokens: words, common } = useText()
  return (
    <ListPage
      title={common.pages.tokens}
      lead={words.lead}
      answer={useApi('listTokens', {})}
      columns={columnsIn(words, common.never)}
      isDimmed={({ isExpired }) => isExpired}
      add={words.create}
      dialog={(close) => <CreateTokenDialog onClose={close} />}
      empty={{ icon: KeyRound, title: words.empty, text: words.emptyText }}
    />
  )
}

function columnsIn(words: Text['tokens'], never: string): readonly Column<AdminToken>[] {
  const moment = (at: number | undefined) => (at === undefined ? never : <RelativeTime at={at} />)
  return [
    {
      id: 'name',
      title: words.name,
      cell: (token) => (
        <RowName>
          <RowLink to="/tokens/$token" params={{ token: token.id }}>
            {token.name}
          </RowLink>
          {token.kind === 'admin' && <Badge tone="accent">{words.kinds.admin}</Badge>}
          {token.isExpired && <Badge tone="bad">{words.expired}</Badge>}
          <FileBadge entry={token} />
        </RowName>
      ),
    },
    { id: 'scope', title: words.scope, from: 'sm', cell: (token) => <Scope token={token} /> },
    { id: 'expires', title: words.expires, from: 'lg', cell: ({ expiresAt }) => moment(expiresAt) },
    { id: 'lastUsed', title: words.lastUsed, cell: ({ lastUsedAt }) => moment(lastUsedAt) },
  ]
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
