import type { ServerPreview } from '@tooldex/contract/admin'
import { useEffect, useRef, useState } from 'react'
import { useChange } from '../api/change.ts'
import { Button } from '../parts/button.tsx'
import { DialogFoot } from '../parts/dialog.tsx'
import { TextAreaField } from '../parts/field.tsx'
import { ProblemNote } from '../parts/states.tsx'
import { useText } from '../text/text.ts'
import { goToLine, lineNamedBy } from './pasted-place.ts'
import { PreviewedServer } from './previewed-server.tsx'
import { useAddAll } from './use-add-all.ts'

type Previewed = ServerPreview['items'][number]

/** Pasted JSON is checked and shown first; only then can it be added and started. */
export function AddByPaste({ onDone }: { readonly onDone: () => void }) {
  const { servers: words } = useText()
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState('')
  const preview = useChange('previewServers', { tellsProblems: false })
  const adding = useAddAll(onDone)
  const items = preview.data?.items ?? []
  const ready = items.filter((item) => isReady(item) && !adding.added.has(item.id))
  const wrong = preview.error?.problem.problems?.[0]?.message
  const goTo = (line: number | undefined): void => {
    if (field.current !== null && line !== undefined) goToLine(field.current, line)
  }
  useEffect(() => goTo(lineNamedBy(wrong)), [wrong])
  return (
    <div className="flex flex-col gap-4 pt-4">
      <TextAreaField
        ref={field}
        label={words.paste}
        hint={words.pasteHint}
        rows={9}
        placeholder={EXAMPLE}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          preview.reset()
        }}
        problem={wrong}
      />
      {preview.error !== null && wrong === undefined && <ProblemNote problem={preview.error} />}
      {items.length > 0 && (
        <section className="flex flex-col gap-2.5">
          <h3 className="text-sm font-medium">{ready.length === 0 ? words.previewNone : words.previewTitle}</h3>
          <ul className="flex flex-col gap-2.5">
            {items.map((item) => (
              <PreviewedServer
                key={item.id}
                item={item}
                text={text}
                isAdded={adding.added.has(item.id)}
                refusal={adding.refusal?.id === item.id ? adding.refusal.problem : undefined}
                onLine={goTo}
              />
            ))}
          </ul>
        </section>
      )}
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

function isReady({ isNew, config, missingVariables }: Previewed): boolean {
  return isNew && config !== undefined && missingVariables.length === 0
}

const EXAMPLE = `{
  "mcpServers": {
    "memory": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"] }
  }
}`
