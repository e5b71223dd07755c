import { useSearch } from '@tanstack/react-router'
import type { AdminToken, RouteAnswer } from '@tooldex/contract/admin'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useApi } from '../api/queries.ts'
import { ConnectSnippets } from '../connect/connect-snippets.tsx'
import { Badge, FileBadge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { FormDialog } from '../parts/forms/change-form.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Dialog, FIRST } from '../parts/dialog.tsx'
import { SelectField } from '../parts/field.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { type Column, RowLink, RowName } from '../parts/table.tsx'
import { RelativeTime } from '../parts/time.tsx'
import { useChange } from '../parts/forms/use-change.ts'
import { type Text, useText } from '../text/text.ts'
import { useProjectName } from '../tools/use-project-tools.ts'
import { NEW_TOKEN, newTokenOf, TOKEN_FIELDS, type TokenDraft } from './token-draft.ts'
import { TokenForm } from './token-form.tsx'

/** All tokens. */
export function TokensPage() {
  const { tokens: words, common } = useText()
  return (
    <ListPage
      title={common.pages.tokens}
      lead={words.lead}
      answer={useApi('listTokens', {})}
      columns={columnsIn(words, common)}
      isDimmed={({ isExpired }) => isExpired}
      wordsOf={({ name }) => name}
      add={words.create}
      needs="createToken"
      dialog={(close) => <CreateTokenDialog onClose={close} />}
      empty={{ icon: KeyRound, title: words.empty, text: words.emptyText }}
    />
  )
}

function columnsIn(words: Text['tokens'], { never, roles }: Text['common']): readonly Column<AdminToken>[] {
  const moment = (at: number | undefined) => (at === undefined ? never : <RelativeTime at={at} />)
  return [
    {
      id: 'name',
      title: words.name,
      sortBy: ({ name }) => name,
      cell: (token) => (
        <RowName>
          <RowLink to="/tokens/$token" params={{ token: token.id }}>
            {token.name}
          </RowLink>
          {token.role !== undefined && <Badge tone="accent">{roles[token.role]}</Badge>}
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

/** The access of a token, in one line. */
export function Scope({ token }: { readonly token: AdminToken }) {
  const { tokens: words, common } = useText()
  const projectName = useProjectName()
  const servers = useApi('listServers', {}).data?.items
  const serverName = (id: string): string => servers?.find((server) => server.id === id)?.name ?? id
  if (token.kind === 'admin') return common.roleHints[token.role ?? 'administrator']
  if (token.projects?.length === 0) return <span className="text-bad">{words.noProjects}</span>
  const scopes = [...(token.projects ?? []).map(projectName), ...(token.servers ?? []).map(serverName)]
  return (
    <span className="flex flex-wrap gap-1.5">
      {scopes.length === 0 ? words.everything : scopes.map((scope) => <Badge key={scope}>{scope}</Badge>)}
      {token.readOnly && <Badge tone="good">{words.readOnly}</Badge>}
    </span>
  )
}

/** Creates a token, then shows its secret once. */
function CreateTokenDialog({ onClose }: { readonly onClose: () => void }) {
  const { tokens: words } = useText()
  const { add } = useSearch({ strict: false })
  const [empty] = useState<TokenDraft>(add === 'admin' ? { ...NEW_TOKEN, kind: 'admin' } : NEW_TOKEN)
  const [draft, setDraft] = useState(empty)
  const create = useChange('createToken', { problemToast: false })
  if (create.data !== undefined) return <MadeToken made={create.data} onClose={onClose} />
  return (
    <FormDialog
      title={words.create}
      onClose={onClose}
      change={create}
      isChanged={draft !== empty}
      fields={TOKEN_FIELDS}
      onSubmit={() => create.mutate({ body: newTokenOf(draft) })}
    >
      {(problemOf) => <TokenForm draft={draft} onChange={setDraft} problemOf={problemOf} isNew />}
    </FormDialog>
  )
}

type Made = RouteAnswer<'createToken'>

/** The secret of a new token, shown once: alone, and in the configuration of each client. */
function MadeToken({ made, onClose }: { readonly made: Made; readonly onClose: () => void }) {
  const { tokens: words } = useText()
  return (
    <Dialog
      open
      onClose={onClose}
      title={words.madeTitle}
      lead={words.madeLead}
      size={made.token.kind === 'client' ? 'large' : 'normal'}
      actions={
        <Button kind="primary" onClick={onClose}>
          {words.made}
        </Button>
      }
    >
      <div {...FIRST}>
        <CodeBlock text={made.secret} what={words.secret} />
      </div>
      {made.token.kind === 'client' && <Connect made={made} />}
    </Dialog>
  )
}

/** Client configurations for the endpoints that the token can use, with the secret filled in. */
function Connect({ made }: { readonly made: Made }) {
  const { tokens: words, endpoints: names } = useText()
  const { projects } = made.token
  const all = useApi('listEndpoints', {}).data?.items ?? []
  const open = all.filter(({ project, isServed }) => isServed && (projects?.includes(project) ?? true))
  const [chosen, setChosen] = useState<string>()
  const endpoint = chosen ?? open[0]?.id
  if (endpoint === undefined) return null
  return (
    <section aria-label={words.connect} className="mt-5 rounded-xl border border-line">
      <header className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-5 py-3">
        <h3 className="text-sm font-semibold">{words.connect}</h3>
        {open.length > 1 && (
          <SelectField
            className="w-56"
            label={names.endpoint}
            hideLabel
            value={endpoint}
            choices={open.map(({ id }) => ({ value: id, label: id }))}
            onChoose={setChosen}
          />
        )}
      </header>
      <ConnectSnippets key={endpoint} endpoint={endpoint} secret={made.secret} />
    </section>
  )
}
