import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { AdminToken } from '@tooldex/contract/admin'
import { useChange } from '../parts/forms/use-change.ts'
import { useEditForm } from '../parts/forms/use-edit-form.ts'
import { useApi } from '../api/queries.ts'
import { ChangeForm, editing } from '../parts/forms/change-form.tsx'
import { FileNote } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Dialog, FIRST, Removal } from '../parts/dialog.tsx'
import { SelectField } from '../parts/field.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
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
      actions={
        token.data?.managedBy === 'store' && (
          <>
            <Rotate token={token.data} />
            <Revoke token={token.data} />
          </>
        )
      }
    >
      <Loaded answer={token}>
        {(loaded) => (
          <div className="grid items-start gap-5 xl:grid-cols-2">
            <Card title={words.details}>
              <div className="p-5">
                {loaded.managedBy === 'store' ? <Change key={loaded.id} token={loaded} /> : <FileNote entry={loaded} />}
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

const DAY_MS = 86_400_000
const OVERLAPS = { none: 0, hour: 3_600_000, day: DAY_MS, week: 7 * DAY_MS } as const

/** A new secret; the old one stays valid for the chosen time. */
function Rotate({ token }: { readonly token: AdminToken }) {
  const { tokens: words, common } = useText()
  const [isOpen, setIsOpen] = useState(false)
  const [overlap, setOverlap] = useState<keyof typeof OVERLAPS>('day')
  const rotate = useChange('rotateToken')
  const close = (): void => {
    setIsOpen(false)
    rotate.reset()
  }
  return (
    <>
      <Button needs="rotateToken" icon={<RefreshCw size={15} aria-hidden />} onClick={() => setIsOpen(true)}>
        {words.rotate}
      </Button>
      {isOpen && (
        <Dialog
          open
          onClose={close}
          title={words.rotateTitle(token.name)}
          lead={rotate.data === undefined ? words.rotateLead : words.madeLead}
          actions={
            rotate.data === undefined ? (
              <>
                <Button onClick={close}>{common.cancel}</Button>
                <Button
                  kind="primary"
                  busy={rotate.isPending}
                  onClick={() =>
                    rotate.mutate({
                      params: { token: token.id },
                      body: { overlapMs: OVERLAPS[overlap] },
                      ifMatch: token.revision,
                    })
                  }
                >
                  {words.rotate}
                </Button>
              </>
            ) : (
              <Button kind="primary" onClick={close}>
                {words.made}
              </Button>
            )
          }
        >
          {rotate.data === undefined ? (
            <SelectField
              label={words.overlap}
              value={overlap}
              choices={(Object.keys(OVERLAPS) as (keyof typeof OVERLAPS)[]).map((value) => ({
                value,
                label: words.overlaps[value],
              }))}
              onChoose={setOverlap}
            />
          ) : (
            <div {...FIRST}>
              <CodeBlock text={rotate.data.secret} what={words.secret} />
              {rotate.data.previous !== undefined && (
                <p className="mt-3 text-sm text-soft">
                  <UntrustedText>{words.previousSecret(rotate.data.previous.name)}</UntrustedText>
                </p>
              )}
            </div>
          )}
        </Dialog>
      )}
    </>
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
      needs="revokeToken"
      title={words.revokeTitle(token.name)}
      consequences={words.revokeConsequences}
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate({ params: { token: token.id }, ifMatch: token.revision })}
    />
  )
}

function Change({ token }: { readonly token: AdminToken }) {
  const { tokens: words, common } = useText()
  const form = useEditForm('changeToken', {
    entry: token,
    draftOf,
    patchOf,
    at: { params: { token: token.id } },
    entryIn: (answer) => answer,
    canUndo: true,
  })
  const names: Readonly<Record<string, string>> = {
    name: words.name,
    role: common.role,
    projects: words.projects,
    servers: words.servers,
    tools: words.tools,
    readOnly: words.readOnly,
    expires: words.expires,
  }
  return (
    <ChangeForm fields={TOKEN_FIELDS} submit={common.save} {...editing(form, (field) => names[field] ?? field)}>
      {(problemOf) => <TokenForm draft={form.draft} onChange={form.replace} problemOf={problemOf} isNew={false} />}
    </ChangeForm>
  )
}
