import { useQueryClient } from '@tanstack/react-query'
import type { ServerPreview } from '@tooldex/contract/admin'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useChange } from '../api/change.ts'
import type { ApiProblem } from '../api/problem.ts'
import { invalidateFor } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { DialogFoot } from '../parts/dialog.tsx'
import { TextAreaField } from '../parts/field.tsx'
import { ProblemNote } from '../parts/states.tsx'
import { useToasts } from '../parts/toasts.tsx'
import { useText } from '../text/text.ts'
import { PreviewedServer } from './previewed-server.tsx'

type Previewed = ServerPreview['items'][number]

/** Pasted JSON is checked and shown first; only then can it be added and started. */
export function AddByPaste({ onDone }: { readonly onDone: () => void }) {
  const { servers: words } = useText()
  const [text, setText] = useState('')
  const preview = useChange('previewServers', { tellsProblems: false })
  const items = preview.data?.items ?? []
  const ready = items.filter((item) => item.isNew && item.config !== undefined && item.missingVariables.length === 0)
  const adding = useAddAll(onDone)
  return (
    <div className="flex flex-col gap-4 pt-4">
      <TextAreaField
        label={words.paste}
        hint={words.pasteHint}
        rows={9}
        placeholder={EXAMPLE}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          preview.reset()
        }}
        problem={preview.error?.problem.problems?.[0]?.message}
      />
      {preview.error !== null && preview.error.problem.problems === undefined && (
        <ProblemNote problem={preview.error} />
      )}
      {items.length > 0 && (
        <section className="flex flex-col gap-2.5">
          <h3 className="text-sm font-medium">{words.previewTitle}</h3>
          <ul className="flex flex-col gap-2.5">
            {items.map((item) => (
              <PreviewedServer key={item.id} item={item} />
            ))}
          </ul>
        </section>
      )}
      {adding.problem !== undefined && <ProblemNote problem={adding.problem} />}
      <DialogFoot>
        {ready.length === 0 ? (
          <Button
            kind="primary"
            disabled={text.trim() === ''}
            busy={preview.isPending}
            onClick={() => preview.mutate({ body: { text } })}
          >
            {words.preview}
          </Button>
        ) : (
          <Button kind="primary" busy={adding.isBusy} onClick={() => void adding.add(ready)}>
            {words.addThese(ready.length)}
          </Button>
        )}
      </DialogFoot>
    </div>
  )
}

/** One after the other: what was added stays added when a later one is refused. */
function useAddAll(onDone: () => void) {
  const { servers: words } = useText()
  const client = useQueryClient()
  const toasts = useToasts()
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<ApiProblem>()
  const add = async (items: readonly Previewed[]): Promise<void> => {
    setIsBusy(true)
    setProblem(undefined)
    try {
      for (const { id, config } of items) {
        if (config !== undefined) await call('createServer', { body: { ...config, id } })
      }
      toasts.done(words.added(items.length))
      onDone()
    } catch (error) {
      setProblem(error as ApiProblem)
    } finally {
      setIsBusy(false)
      invalidateFor(client, 'configuration')
    }
  }
  return { add, isBusy, problem }
}

const EXAMPLE = `{
  "mcpServers": {
    "memory": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"] }
  }
}`
