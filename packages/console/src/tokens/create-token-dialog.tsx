import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { useChange } from '../api/change.ts'
import { Button } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { hasOtherProblems, problemOfField } from '../parts/problem-of-field.ts'
import { ProblemNote } from '../parts/states.tsx'
import { useText } from '../text/text.ts'
import { NEW_TOKEN, newTokenOf, type TokenDraft } from './token-draft.ts'
import { TokenForm } from './token-form.tsx'

/** Makes a token, then shows its secret once. */
export function CreateTokenDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const { tokens: words, common } = useText()
  const formId = useId()
  const [draft, setDraft] = useState<TokenDraft>(NEW_TOKEN)
  const create = useChange('createToken', { tellsProblems: false })
  const close = (): void => {
    onClose()
    create.reset()
    setDraft(NEW_TOKEN)
  }
  if (create.data !== undefined) {
    return (
      <Dialog
        open={open}
        onClose={close}
        title={words.madeTitle}
        lead={words.madeLead}
        actions={
          <Button kind="primary" onClick={close}>
            {words.made}
          </Button>
        }
      >
        <CodeBlock text={create.data.secret} what={words.secret} />
        {create.data.token.kind === 'client' && (
          <Link to="/endpoints" className="mt-3 inline-block text-sm font-medium text-accent underline">
            {words.connect}
          </Link>
        )}
      </Dialog>
    )
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title={words.create}
      actions={
        <>
          <Button onClick={close}>{common.cancel}</Button>
          <Button kind="primary" type="submit" form={formId} busy={create.isPending}>
            {words.create}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate({ body: newTokenOf(draft) })
        }}
      >
        {hasOtherProblems(create.error, ['name', 'expiresAt']) && create.error !== null && (
          <div className="mb-4">
            <ProblemNote problem={create.error} />
          </div>
        )}
        <TokenForm draft={draft} onChange={setDraft} problemOf={problemOfField(create.error)} isNew />
      </form>
    </Dialog>
  )
}
