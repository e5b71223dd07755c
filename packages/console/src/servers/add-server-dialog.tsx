import type { ServerPreview } from '@tooldex/contract/admin'
import { useEffect, useRef, useState } from 'react'
import { call } from '../api/call.ts'
import { useApi } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { ChangeForm } from '../parts/forms/change-form.tsx'
import { Dialog, DialogFoot } from '../parts/dialog.tsx'
import { LeaveGuard } from '../parts/forms/leave-guard.tsx'
import { JsonField, type JsonFieldHandle } from '../parts/json/json-field.tsx'
import { ProblemNote } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useChange } from '../parts/forms/use-change.ts'
import { useText } from '../text/text.ts'
import { AddFound } from './add-found.tsx'
import { AddFromRegistry } from './add-from-registry.tsx'
import { lineNamedBy } from './pasted-lines.ts'
import { PreviewedServer } from './previewed-server.tsx'
import { NEW_SERVER, newServerOf, SERVER_FIELDS, type ServerDraft } from './server-draft.ts'
import { ServerForm } from './server-form.tsx'
import { TestConnection, useServerTest } from './test-connection.tsx'
import { useAddAll } from './use-add-all.ts'
import { enteredValues, type Values } from './value-fields.tsx'

/** Adds servers from clients on this machine, from pasted JSON, from a registry or from a form. */
export function AddServerDialog({ onClose }: { readonly onClose: () => void }) {
  const { servers: words } = useText()
  const [way, setWay] = useState('paste')
  const isThisMachine = useApi('getMachine', {}).data?.isThisMachine === true
  return (
    <Dialog open onClose={onClose} title={words.addTitle} lead={words.consent} size="large">
      <Tabs
        label={words.addByLabel}
        value={way}
        onChange={setWay}
        tabs={[
          { id: 'paste', title: words.addBy.paste, content: <AddByPaste onDone={onClose} />, isKept: true },
          ...(isThisMachine
            ? [{ id: 'found', title: words.addBy.found, content: <AddFound onDone={onClose} />, isKept: true }]
            : []),
          { id: 'registry', title: words.addBy.registry, content: <AddFromRegistry onDone={onClose} />, isKept: true },
          { id: 'form', title: words.addBy.form, content: <AddByForm onDone={onClose} />, isKept: true },
        ]}
      />
    </Dialog>
  )
}

type Previewed = ServerPreview['items'][number]

/** Checks pasted JSON and shows a preview before anything is added and started. */
function AddByPaste({ onDone }: { readonly onDone: () => void }) {
  const { servers: words } = useText()
  const field = useRef<JsonFieldHandle>(null)
  const [text, setText] = useState('')
  const [values, setValues] = useState<Readonly<Record<string, Values>>>({})
  const preview = useChange('previewServers', { problemToast: false })
  const adding = useAddAll(({ key: id, config }: Ready) => {
    const inputs = enteredValues(values[id] ?? {})
    return call('createServer', { body: { ...config, id, ...(inputs !== undefined && { inputs }) } })
  }, onDone)
  const items = preview.data?.items ?? []
  const ready = items.flatMap(readyOf).filter(({ key }) => !adding.added.has(key))
  const wrong = preview.error?.problem.problems?.[0]?.message
  useEffect(() => {
    const line = lineNamedBy(wrong)
    if (line !== undefined) field.current?.selectLine(line, wrong)
  }, [wrong])
  return (
    <div className="flex flex-col gap-4 pt-4">
      <JsonField
        ref={field}
        label={words.paste}
        hint={words.pasteHint}
        rows={9}
        placeholder={EXAMPLE}
        // TOML and YAML are welcome, too.
        isChecked={false}
        value={text}
        onText={(typed) => {
          setText(typed)
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
                refusal={adding.refusalOf(item.id)}
                onLine={(line) => field.current?.selectLine(line)}
                values={values[item.id] ?? {}}
                onValues={(entered) => setValues((before) => ({ ...before, [item.id]: entered }))}
              />
            ))}
          </ul>
        </section>
      )}
      <LeaveGuard isChanged={text.trim() !== '' && adding.added.size === 0} />
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
            onClick={() =>
              void adding.add(
                ready,
                items.every((item) => readyOf(item).length > 0),
              )
            }
          >
            {words.addThese(ready.length)}
          </Button>
        )}
      </DialogFoot>
    </div>
  )
}

/** A previewed server that can be added. */
interface Ready {
  readonly key: string
  readonly config: NonNullable<Previewed['config']>
}

/** A server that lacks a value can be added: it stays off until it has one. */
function readyOf({ id, isNew, config }: Previewed): readonly Ready[] {
  return isNew && config !== undefined ? [{ key: id, config }] : []
}

const EXAMPLE = `{
  "mcpServers": {
    "memory": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"] }
  }
}`

/** Adds one server by form. */
function AddByForm({ onDone }: { readonly onDone: () => void }) {
  const { servers: words } = useText()
  const [draft, setDraft] = useState<ServerDraft>(NEW_SERVER)
  const create = useChange('createServer', { problemToast: false, done: () => words.added(1), onDone })
  const test = useServerTest()
  const { id, ...settings } = newServerOf(draft)
  return (
    <ChangeForm
      className="pt-4"
      change={{ isPending: create.isPending, error: create.error ?? test.error }}
      isChanged={draft !== NEW_SERVER}
      fields={SERVER_FIELDS}
      onSubmit={() => {
        test.end()
        create.mutate({ body: newServerOf(draft) })
      }}
      actions={
        <DialogFoot>
          <Button kind="primary" type="submit" busy={create.isPending}>
            {words.addThese(1)}
          </Button>
        </DialogFoot>
      }
    >
      {(problemOf) => (
        <>
          <ServerForm
            draft={draft}
            onChange={(next) => {
              setDraft(next)
              test.end()
            }}
            problemOf={problemOf}
            isNew
          />
          <TestConnection
            test={test}
            send={(signal) => {
              create.reset()
              return call('testNewServer', { body: { ...settings, ...(id !== '' && { id }) }, signal })
            }}
          />
        </>
      )}
    </ChangeForm>
  )
}
