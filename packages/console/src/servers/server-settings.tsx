import type { AdminServer } from '@tooldex/contract/admin'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { ChangeForm } from '../parts/change-form.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { FileNote } from '../parts/file-badge.tsx'
import { useText } from '../text/text.ts'
import { draftOf, patchOf, SERVER_FIELDS } from './server-draft.ts'
import { ServerForm } from './server-form.tsx'

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
    <ChangeForm
      className="max-w-3xl p-5"
      change={change}
      fields={SERVER_FIELDS}
      submit={common.save}
      onSubmit={() => change.mutate({ params: { server: server.id }, body: patchOf(draft), ifMatch: server.revision })}
    >
      {(problemOf) => (
        <>
          <p className="text-sm text-soft">{words.dangerous}</p>
          <ServerForm draft={draft} onChange={setDraft} problemOf={problemOf} isNew={false} />
        </>
      )}
    </ChangeForm>
  )
}
