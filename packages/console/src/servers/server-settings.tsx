import type { AdminServer } from '@tooldex/contract/admin'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { Button } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { FileNote } from '../parts/file-badge.tsx'
import { hasOtherProblems, problemOfField } from '../parts/problem-of-field.ts'
import { ProblemNote } from '../parts/states.tsx'
import { useText } from '../text/text.ts'
import { draftOf, patchOf } from './server-draft.ts'
import { ServerForm } from './server-form.tsx'

const SHOWN = ['name', 'command', 'args', 'env', 'url', 'headers']

/** How a server is reached, and a form to change it. */
export function ServerSettings({ server }: { readonly server: AdminServer }) {
  const { servers: words, common } = useText()
  const [draft, setDraft] = useState(() => draftOf(server))
  const change = useChange('changeServer', { tellsProblems: false, done: ({ name }) => words.saved(name) })
  if (server.managedBy === 'file') {
    return (
      <div className="flex flex-col gap-4 p-5">
        <FileNote entry={server} />
        <CodeBlock text={JSON.stringify(server.config, null, 2)} what={words.tabs.settings} />
      </div>
    )
  }
  return (
    <form
      className="flex max-w-3xl flex-col gap-4 p-5"
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate({ params: { server: server.id }, body: patchOf(draft), ifMatch: server.revision })
      }}
    >
      <p className="text-sm text-soft">{words.dangerous}</p>
      <ServerForm draft={draft} onChange={setDraft} problemOf={problemOfField(change.error)} isNew={false} />
      {change.error !== null && hasOtherProblems(change.error, SHOWN) && <ProblemNote problem={change.error} />}
      <Button kind="primary" type="submit" className="self-start" busy={change.isPending}>
        {common.save}
      </Button>
    </form>
  )
}
