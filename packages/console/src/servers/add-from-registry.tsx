import type { RegistryServer } from '@tooldex/contract/admin'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { ChangeForm } from '../parts/forms/change-form.tsx'
import { DialogFoot } from '../parts/dialog.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { ProblemNote } from '../parts/states.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useChange } from '../parts/forms/use-change.ts'
import { useText } from '../text/text.ts'
import { TestConnection, useServerTest } from './test-connection.tsx'

/** Finds a server in the configured registries, asks for its inputs and adds it. */
export function AddFromRegistry({ onDone }: { readonly onDone: () => void }) {
  const { servers: words } = useText()
  const [search, setSearch] = useState('')
  const [chosen, setChosen] = useState<RegistryServer>()
  const found = useChange('searchRegistry', { problemToast: false })
  if (chosen !== undefined) return <ChosenServer server={chosen} onBack={() => setChosen(undefined)} onDone={onDone} />
  const { items, registries } = found.data ?? { items: undefined, registries: [] }
  return (
    <form
      className="flex flex-col gap-4 pt-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (search.trim() !== '') found.mutate({ query: { search } })
      }}
    >
      <TextField
        label={words.registry.search}
        hint={words.registry.hint}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {found.error !== null && <ProblemNote problem={found.error} />}
      {registries.map(
        ({ url, problem, fetchedAt }) =>
          problem !== undefined && (
            <p key={url} className="text-[13px] text-soft">
              <UntrustedText>{words.registry.problem(url, problem, fetchedAt)}</UntrustedText>
            </p>
          ),
      )}
      {items?.length === 0 && <p className="text-sm text-soft">{words.registry.none}</p>}
      <ul className="flex flex-col gap-2.5">
        {items?.map((server) => (
          <li
            key={`${server.registry} ${server.name}`}
            className="rounded-xl border border-line bg-sunken px-4 py-3 text-sm"
          >
            <p className="flex flex-wrap items-center gap-2 font-medium">
              <UntrustedText>{server.name}</UntrustedText>
              <Badge>{server.version}</Badge>
              {server.ways[0] !== undefined && <Badge>{server.ways[0].transport}</Badge>}
              {server.status === 'deprecated' && <Badge tone="warn">{words.registry.deprecated}</Badge>}
            </p>
            <p className="mt-1 text-soft">
              <UntrustedText>{server.description}</UntrustedText>
            </p>
            {server.ways.length === 0 ? (
              server.unusable.map(({ what, reason }) => (
                <p key={what} className="mt-1 text-[13px] text-bad">
                  <UntrustedText>{`${what} ${reason}`}</UntrustedText>
                </p>
              ))
            ) : (
              <Button className="mt-2" onClick={() => setChosen(server)}>
                {words.registry.choose(server.name)}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <DialogFoot>
        <Button kind="primary" type="submit" disabled={search.trim() === ''} busy={found.isPending}>
          {words.registry.find}
        </Button>
      </DialogFoot>
    </form>
  )
}

interface ChosenProps {
  readonly server: RegistryServer
  readonly onBack: () => void
  readonly onDone: () => void
}

/** What a chosen server runs, and fields for its inputs. */
function ChosenServer({ server, onBack, onDone }: ChosenProps) {
  const { servers: words } = useText()
  const [wayId, setWayId] = useState(server.ways[0]?.id ?? '')
  const [id, setId] = useState(server.suggestedId)
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const way = server.ways.find((each) => each.id === wayId)
  const inputs = way?.inputs ?? []
  const add = useChange('addFromRegistry', {
    problemToast: false,
    done: ({ missing }) => (missing.length === 0 ? words.added(1) : words.registry.addedOff(missing)),
    onDone,
    touches: 'configuration',
  })
  const test = useServerTest()
  const body = { registry: server.registry, name: server.name, way: wayId, id, values: { ...values } }
  return (
    <ChangeForm
      className="pt-4"
      change={{ isPending: add.isPending, error: add.error ?? test.error }}
      isChanged={id !== server.suggestedId || Object.keys(values).length > 0}
      fields={['id', ...inputs.map(({ key }) => `values.${key}`)]}
      onSubmit={() => {
        test.end()
        add.mutate({ body })
      }}
      actions={
        <DialogFoot>
          <Button onClick={onBack}>{words.registry.back}</Button>
          <Button kind="primary" type="submit" busy={add.isPending}>
            {words.addThese(1)}
          </Button>
        </DialogFoot>
      }
    >
      {(problemOf) => (
        <div className="flex flex-col gap-4">
          <p className="text-sm font-medium">
            <UntrustedText>{`${server.name} ${server.version} · ${words.registry.publisher(server.publisher)}`}</UntrustedText>
          </p>
          {server.ways.length > 1 && (
            <SelectField
              label={words.registry.way}
              value={wayId}
              choices={server.ways.map((each) => ({
                value: each.id,
                label: each.package ?? each.connects ?? each.kind,
              }))}
              onChoose={(next) => {
                setWayId(next)
                test.end()
              }}
            />
          )}
          <p className="font-mono text-[13px] wrap-anywhere">
            <UntrustedText>{way?.runs ?? way?.connects ?? ''}</UntrustedText>
          </p>
          <TextField
            label={words.id}
            required
            value={id}
            onChange={(event) => setId(event.target.value)}
            problem={problemOf('id')}
          />
          {inputs.map((input) => (
            <TextField
              key={input.key}
              label={input.isRequired ? `${input.key} *` : input.key}
              hint={[input.description, input.choices?.join(' | ')].filter(Boolean).join(' · ') || undefined}
              type={input.isSecret ? 'password' : 'text'}
              placeholder={input.default ?? input.placeholder ?? ''}
              value={values[input.key] ?? ''}
              onChange={(event) => {
                setValues({ ...values, [input.key]: event.target.value })
                test.end()
              }}
              problem={problemOf(`values.${input.key}`)}
            />
          ))}
          <TestConnection
            test={test}
            send={(signal) => {
              add.reset()
              return call('testFromRegistry', { body, signal })
            }}
          />
        </div>
      )}
    </ChangeForm>
  )
}
