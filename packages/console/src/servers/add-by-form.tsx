import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { Button } from '../parts/button.tsx'
import { ChangeForm } from '../parts/change-form.tsx'
import { DialogFoot } from '../parts/dialog.tsx'
import { useText } from '../text/text.ts'
import { NEW_SERVER, newServerOf, SERVER_FIELDS, type ServerDraft } from './server-draft.ts'
import { ServerForm } from './server-form.tsx'

/** One server by hand. */
export function AddByForm({ onDone }: { readonly onDone: () => void }) {
  const { servers: words } = useText()
  const [draft, setDraft] = useState<ServerDraft>(NEW_SERVER)
  const create = useChange('createServer', { tellsProblems: false, done: () => words.added(1), onDone })
  return (
    <ChangeForm
      className="pt-4"
      change={create}
      fields={SERVER_FIELDS}
      onSubmit={() => create.mutate({ body: newServerOf(draft) })}
      actions={
        <DialogFoot>
          <Button kind="primary" type="submit" busy={create.isPending}>
            {words.addThese(1)}
          </Button>
        </DialogFoot>
      }
    >
      {(problemOf) => <ServerForm draft={draft} onChange={setDraft} problemOf={problemOf} isNew />}
    </ChangeForm>
  )
}
