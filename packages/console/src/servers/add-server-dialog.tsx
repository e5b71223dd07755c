import { useQueryClient } from '@tanstack/react-query'
import type { RouteBodyInput, ServerPreview } from '@tooldex/contract/admin'
import { useEffect, useRef, useState } from 'react'
import { call } from '../api/call.ts'
import type { ApiProblem } from '../api/problem.ts'
import { invalidateFor } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { ChangeForm } from '../parts/change-form.tsx'
import { Dialog, DialogFoot } from '../parts/dialog.tsx'
import { TextAreaField } from '../parts/field.tsx'
import { useProof } from '../parts/fresh-proof.tsx'
import { ProblemNote } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useToasts } from '../parts/toasts.tsx'
import { useChange } from '../parts/use-change.ts'
import { useText } from '../text/text.ts'
import { AddFromRegistry } from './add-from-registry.tsx'
import { goToLine, lineNamedBy } from './pasted-lines.ts'
import { PreviewedServer } from './previewed-server.tsx'
import { NEW_SERVER, newServerOf, SERVER_FIELDS, type ServerDraft } from './server-draft.ts'
import { ServerForm } from './server-form.tsx'
import { enteredValues, type Values } from './value-fields.tsx'

/** Adds servers from pasted JSON, from a registry or from a form. */
export function AddServerDialog({ onClose }: { readonly onClose: () => void }) {
  const { servers: words } = useText()
  const [way, setWay] = useState('paste')
  return (
    <Dialog open onClose={onClose} title={words.addTitle} lead={words.consent} size="large">
      <Tabs
        label={words.addByLabel}
        value={way}
        onChange={setWay}
        tabs={[
          { id: 'paste', title: words.addBy.paste, content: <AddByPaste onDone={onClose} /> },
          { id: 'registry', title: words.addBy.registry, content: <AddFromRegistry onDone={onClose} /> },
          { id: 'form', title: words.addBy.form, content: <AddByForm onDone={onClose} /> },
        ]}
      />
    </Dialog>
  )
}

type Previewed = ServerPreview['items'][number]

/** Checks pasted JSON and shows a preview before anything is added and started. */
function AddByPaste({ onDone }: { readonly onDone: () => void }) {
  const { servers: words } = useText()
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState('')
  const [values, setValues] = useState<Readonly<Record<string, Values>>>({})
  const preview = useChange('previewServers', { problemToast: false })
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
                values={values[item.id] ?? {}}
                onValues={(entered) => setValues((before) => ({ ...before, [item.id]: entered }))}
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
          <Button
            kind="primary"
            busy={adding.isBusy}
            onClick={() => void adding.add(ready, values, items.every(isReady))}
          >
            {words.addThese(ready.length)}
          </Button>
        )}
      </DialogFoot>
    </div>
  )
}

/** A server that lacks a value can be added: it stays off until it has one. */
function isReady({ isNew, config }: Previewed): boolean {
  return isNew && config !== undefined
}

const EXAMPLE = `{
  "mcpServers": {
    "memory": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"] }
  }
}`

/** A refused server with the reason. */
interface Refusal {
  readonly id: string
  readonly problem: ApiProblem
}

/** Adds servers one after the other. If one is refused, the earlier ones stay and are not sent again. */
function useAddAll(onDone: () => void) {
  const { servers: words } = useText()
  const client = useQueryClient()
  const toasts = useToasts()
  const withProof = useProof()
  const [isBusy, setIsBusy] = useState(false)
  const [added, setAdded] = useState<ReadonlySet<string>>(new Set())
  const [refusal, setRefusal] = useState<Refusal>()
  const add = async (
    items: readonly Previewed[],
    values: Readonly<Record<string, Values>>,
    isComplete: boolean,
  ): Promise<void> => {
    setIsBusy(true)
    setRefusal(undefined)
    const create = (body: Parameters<typeof createServer>[0]) => {
      const inputs = enteredValues(values[body.id] ?? {})
      return withProof(() => createServer({ ...body, ...(inputs !== undefined && { inputs }) }))
    }
    const refused = await firstRefused(items, create, (id) => setAdded((before) => new Set([...before, id])))
    setIsBusy(false)
    setRefusal(refused)
    invalidateFor(client, 'configuration')
    if (refused !== undefined) return
    toasts.done(words.added(items.length))
    // Entries that could not be added stay on the screen, with the text.
    if (isComplete) onDone()
  }
  return { add, isBusy, added, refusal }
}

const createServer = (body: RouteBodyInput<'createServer'>) => call('createServer', { body })

async function firstRefused(
  items: readonly Previewed[],
  create: typeof createServer,
  onAdded: (id: string) => void,
): Promise<Refusal | undefined> {
  for (const { id, config } of items) {
    if (config === undefined) continue
    try {
      await create({ ...config, id })
      onAdded(id)
    } catch (problem) {
      return { id, problem: problem as ApiProblem }
    }
  }
  return undefined
}

/** Adds one server by form. */
function AddByForm({ onDone }: { readonly onDone: () => void }) {
  const { servers: words } = useText()
  const [draft, setDraft] = useState<ServerDraft>(NEW_SERVER)
  const create = useChange('createServer', { problemToast: false, done: () => words.added(1), onDone })
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
