import { Link } from '@tanstack/react-router'
import type { RouteAnswer } from '@tooldex/contract/admin'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { Button } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Dialog, FIRST } from '../parts/dialog.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { useText } from '../text/text.ts'
import { NEW_TOKEN, newTokenOf, TOKEN_FIELDS, type TokenDraft } from './token-draft.ts'
import { TokenForm } from './token-form.tsx'

/** Makes a token, then shows its secret once. */
export function CreateTokenDialog({ onClose }: { readonly onClose: () => void }) {
  const { tokens: words } = useText()
  const [draft, setDraft] = useState<TokenDraft>(NEW_TOKEN)
  const create = useChange('createToken', { tellsProblems: false })
  if (create.data !== undefined) return <MadeToken made={create.data} onClose={onClose} />
  return (
    <FormDialog
      title={words.create}
      onClose={onClose}
      change={create}
      fields={TOKEN_FIELDS}
      onSubmit={() => create.mutate({ body: newTokenOf(draft) })}
    >
      {(problemOf) => <TokenForm draft={draft} onChange={setDraft} problemOf={problemOf} isNew />}
    </FormDialog>
  )
}

function MadeToken({ made, onClose }: { readonly made: RouteAnswer<'createToken'>; readonly onClose: () => void }) {
  const { tokens: words } = useText()
  return (
    <Dialog
      open
      onClose={onClose}
      title={words.madeTitle}
      lead={words.madeLead}
      actions={
        <Button kind="primary" onClick={onClose}>
          {words.made}
        </Button>
      }
    >
      <div {...FIRST}>
        <CodeBlock text={made.secret} what={words.secret} />
      </div>
      {made.token.kind === 'client' && (
        <Link to="/endpoints" className="mt-3 inline-block text-sm font-medium text-accent underline">
          {words.connect}
        </Link>
      )}
    </Dialog>
  )
}
