import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { Button } from '../parts/button.tsx'
import { hasOtherProblems, problemOfField } from '../parts/problem-of-field.ts'
import { ProblemNote } from '../parts/states.tsx'
import { useText } from '../text/text.ts'
import { NEW_SERVER, newServerOf, type ServerDraft } from './server-draft.ts'
import { ServerForm } from './server-form.tsx'

const SHOWN = ['id', 'name', 'command', 'args', 'env', 'url', 'headers']

/** One server by hand. */
export function AddByForm({ onDone }: { readonly onDone: () => void }) {
  const { servers: words } = useText()
  const [draft, setDraft] = useState<ServerDraft>(NEW_SERVER)
  const create = useChange('createServer', { tellsProblems: false, done: () => words.added(1), onDone })
  return (
    <form
      className="flex flex-col gap-4 pt-4"
      onSubmit={(event) => {
        event.preventDefault()
        create.mutate({ body: newServerOf(draft) })
      }}
    >
      <ServerForm draft={draft} onChange={setDraft} problemOf={problemOfField(create.error)} isNew />
      {create.error !== null && hasOtherProblems(create.error, SHOWN) && <ProblemNote problem={create.error} />}
      <Button kind="primary" type="submit" className="self-end" busy={create.isPending}>
        {words.addThese(1)}
      </Button>
    </form>
  )
}
