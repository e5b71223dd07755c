import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { useText } from '../text/text.ts'
import { MadeToken } from './made-token.tsx'
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
