import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { AdminToken } from '@tooldex/contract/admin'
import { useId, useState } from 'react'
import { useChange } from '../api/change.ts'
import { useApi } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { ConfirmDialog } from '../parts/dialog.tsx'
import { FileNote } from '../parts/file-badge.tsx'
import { Card, Page } from '../parts/page.tsx'
import { problemOfField } from '../parts/problem-of-field.ts'
import { Loaded } from '../parts/states.tsx'
import { useText } from '../text/text.ts'
import { ExplainAccess } from './explain-access.tsx'
import { draftOf, patchOf } from './token-draft.ts'
import { TokenForm } from './token-form.tsx'
import { Scope } from './tokens-page.tsx'

/** One token: what it may use, and why it may or may not use a tool. */
export function TokenPage() {
  const { token: id } = useParams({ from: '/tokens/$token' })
  const { tool } = useSearch({ strict: false })
  const { tokens: words } = useText()
  const token = useApi('getToken', { params: { token: id } })
  const navigate = useNavigate()
  const [isRevoking, setIsRevoking] = useState(false)
  const revoke = useChange('revokeToken', {
    done: () => words.revoked(token.data?.name ?? id),
    onDone: () => void navigate({ to: '/tokens' }),
  })
  const isOurs = token.data?.managedBy === 'store'
  return (
    <Page
      title={token.data?.name ?? id}
      lead={token.data === undefined ? undefined : <Scope token={token.data} />}
      actions={
        isOurs && (
          <Button kind="danger" onClick={() => setIsRevoking(true)}>
            {words.revoke}
          </Button>
        )
      }
    >
      <Loaded answer={token}>
        {(loaded) => (
          <div className="grid gap-5 xl:grid-cols-2">
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
      <ConfirmDialog
        open={isRevoking}
        onClose={() => setIsRevoking(false)}
        title={words.revokeTitle(token.data?.name ?? id)}
        consequences={words.revokeConsequences}
        verb={words.revoke}
        busy={revoke.isPending}
        onConfirm={() => revoke.mutate({ params: { token: id }, ifMatch: token.data?.revision })}
      />
    </Page>
  )
}

function Change({ token }: { readonly token: AdminToken }) {
  const { tokens: words, common } = useText()
  const formId = useId()
  const [draft, setDraft] = useState(() => draftOf(token))
  const change = useChange('changeToken', { done: ({ name }) => words.changed(name) })
  return (
    <form
      id={formId}
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate({ params: { token: token.id }, body: patchOf(draft), ifMatch: token.revision })
      }}
    >
      <TokenForm draft={draft} onChange={setDraft} problemOf={problemOfField(change.error)} isNew={false} />
      <Button kind="primary" type="submit" busy={change.isPending} className="self-start">
        {common.save}
      </Button>
    </form>
  )
}
