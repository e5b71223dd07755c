import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { AdminToken } from '@tooldex/contract/admin'
import { useState } from 'react'
import { useChange } from '../parts/use-change.ts'
import { useApi } from '../api/queries.ts'
import { ChangeForm } from '../parts/change-form.tsx'
import { FileNote } from '../parts/badge.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Removal } from '../parts/dialog.tsx'
import { Loaded } from '../parts/states.tsx'
import { useText } from '../text/text.ts'
import { ExplainAccess } from './explain-access.tsx'
import { draftOf, patchOf, TOKEN_FIELDS } from './token-draft.ts'
import { TokenForm } from './token-form.tsx'
import { Scope } from './tokens-page.tsx'

/** One token: its settings, and an explanation of its access to a tool. */
export function TokenPage() {
  const { token: id } = useParams({ from: '/tokens/$token' })
  const { tool } = useSearch({ strict: false })
  const { tokens: words } = useText()
  const token = useApi('getToken', { params: { token: id } })
  const navigate = useNavigate()
  return (
    <Page
      title={token.data?.name ?? id}
      among="tokens"
      lead={
        token.data !== undefined && (
          <span className="flex flex-wrap items-center gap-2">
            {words.scope} <Scope token={token.data} />
          </span>
        )
      }
      actions={token.data?.managedBy === 'store' && <Revoke token={token.data} />}
    >
      <Loaded answer={token}>
        {(loaded) => (
          <div className="grid items-start gap-5 xl:grid-cols-2">
            <Card title={words.details}>
              <div className="p-5">
                {loaded.managedBy === 'store' ? (
                  <Change key={loaded.revision} token={loaded} />
                ) : (
                  <FileNote entry={loaded} />
                )}
              </div>
            </Card>
            {loaded.kind === 'client' && (
              <Card title={words.explain}>
                <ExplainAccess
                  token={id}
                  tool={tool}
                  onTool={(key) => void navigate({ to: '.', search: { tool: key }, replace: true })}
                />
              </Card>
            )}
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function Revoke({ token }: { readonly token: AdminToken }) {
  const { tokens: words } = useText()
  const navigate = useNavigate()
  const revoke = useChange('revokeToken', {
    done: () => words.revoked(token.name),
    onDone: () => void navigate({ to: '/tokens' }),
  })
  return (
    <Removal
      verb={words.revoke}
      title={words.revokeTitle(token.name)}
      consequences={words.revokeConsequences}
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate({ params: { token: token.id }, ifMatch: token.revision })}
    />
  )
}

function Change({ token }: { readonly token: AdminToken }) {
  const { common } = useText()
  const [draft, setDraft] = useState(() => draftOf(token))
  const [before] = useState(token)
  const params = { token: token.id }
  const takeBack = useChange('changeToken', { done: () => common.saved })
  const change = useChange('changeToken', {
    problemToast: false,
    done: () => common.saved,
    undo:
      ({ revision }) =>
      () =>
        takeBack.mutate({ params, body: patchOf(draftOf(before)), ifMatch: revision }),
  })
  return (
    <ChangeForm
      change={change}
      fields={TOKEN_FIELDS}
      submit={common.save}
      onSubmit={() => change.mutate({ params, body: patchOf(draft), ifMatch: token.revision })}
    >
      {(problemOf) => <TokenForm draft={draft} onChange={setDraft} problemOf={problemOf} isNew={false} />}
    </ChangeForm>
  )
}
