import type { FoundServer } from '@tooldex/contract/admin'
import { ScanSearch } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useApi } from '../api/queries.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { CheckBox } from '../parts/checklist.tsx'
import { classNames } from '../parts/class-names.ts'
import { DialogFoot } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { LeaveGuard } from '../parts/forms/leave-guard.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { ServerLines, ServerNotes } from './previewed-server.tsx'
import { useAddAll } from './use-add-all.ts'
import { enteredValues, ValueFields, type Values } from './value-fields.tsx'

/** What a person chose and entered for a server that was found. */
interface Chosen {
  readonly id: string
  readonly values: Values
}

/** Adds servers that the clients on this machine have. Their secrets stay there: the gateway reads them from the files. */
export function AddFound({ onDone }: { readonly onDone: () => void }) {
  const { servers } = useText()
  const words = servers.found
  const found = useApi('findServers', {}, { staleTime: 0 })
  const [chosen, setChosen] = useState<ReadonlyMap<string, Chosen>>(new Map())
  const adding = useAddAll(addFound, onDone)
  const items = found.data?.items ?? []
  const open = items.filter(isAddable).filter(({ digest }) => !adding.added.has(digest))
  const picked = open.flatMap(({ digest: key }) => {
    const choice = chosen.get(key)
    return choice === undefined ? [] : [{ key, ...choice }]
  })
  const choose = (key: string, choice: Chosen | undefined): void =>
    setChosen((before) => {
      const after = new Map(before)
      if (choice === undefined) after.delete(key)
      else after.set(key, choice)
      return after
    })
  return (
    <div className="flex flex-col gap-4 pt-4">
      <p className="text-sm text-soft">{words.lead}</p>
      <Loaded answer={found}>
        {({ notes, unreadable }) => (
          <>
            {items.length === 0 && <EmptyState icon={<ScanSearch size={24} aria-hidden />} title={words.none} />}
            {open.length > 1 && (
              <Button
                className="self-start"
                onClick={() =>
                  setChosen(new Map(open.map((item) => [item.digest, chosen.get(item.digest) ?? fresh(item)])))
                }
              >
                {words.all}
              </Button>
            )}
            <ul className="flex flex-col gap-2.5" aria-label={words.title}>
              {items.map((item) => (
                <FoundItem
                  key={item.digest}
                  item={item}
                  choice={chosen.get(item.digest)}
                  onChoice={(choice) => choose(item.digest, choice)}
                  isAdded={adding.added.has(item.digest)}
                  refusal={adding.refusalOf(item.digest)?.message}
                />
              ))}
            </ul>
            {unreadable.length > 0 && (
              <div className="text-[13px] text-bad">
                <p className="font-medium">{words.unreadable}</p>
                <ul className="list-disc pl-5">
                  {unreadable.map(({ file, reason }) => (
                    <li key={file}>
                      <UntrustedText>{reason.includes(file) ? reason : `${file}: ${reason}`}</UntrustedText>
                    </li>
                  ))}
                </ul>
              </div>
            )}
            <ServerNotes notes={notes} />
          </>
        )}
      </Loaded>
      <LeaveGuard isChanged={picked.some(({ values }) => enteredValues(values) !== undefined)} />
      <DialogFoot>
        <Button
          kind="primary"
          disabled={picked.length === 0}
          busy={adding.isBusy}
          onClick={() => void adding.add(picked, true)}
        >
          {words.addChosen(picked.length)}
        </Button>
      </DialogFoot>
    </div>
  )
}

const fresh = ({ id }: FoundServer): Chosen => ({ id, values: {} })

const isAddable = ({ isNew, problems }: FoundServer): boolean => isNew && problems.length === 0

async function addFound({ key, id, values }: Chosen & { readonly key: string }): Promise<void> {
  const inputs = enteredValues(values)
  await call('addFoundServer', { body: { digest: key, id: id.trim(), ...(inputs !== undefined && { inputs }) } })
}

interface FoundItemProps {
  readonly item: FoundServer
  readonly choice: Chosen | undefined
  readonly onChoice: (choice: Chosen | undefined) => void
  readonly isAdded: boolean
  /** The reason why the gateway refused it. */
  readonly refusal: string | undefined
}

function FoundItem({ item, choice, onChoice, isAdded, refusal }: FoundItemProps) {
  const { servers: all } = useText()
  const words = all.found
  const { id, transport, foundIn, sameAs, problems, missingVariables, inputs, notes, ignoredKeys } = item
  const [name = id] = foundIn.map((origin) => origin.name)
  const isOpen = isAddable(item) && !isAdded
  return (
    <li
      className={classNames(
        'rounded-xl border bg-sunken px-4 py-3 text-sm',
        problems.length > 0 || refusal !== undefined ? 'border-bad/40' : 'border-line',
      )}
    >
      <div className="flex flex-wrap items-center gap-2 font-medium">
        <CheckBox
          label={words.choose(id)}
          isDisabled={!isOpen}
          isChecked={isOpen && choice !== undefined}
          onChange={(isChosen) => onChoice(isChosen ? fresh(item) : undefined)}
        >
          <UntrustedText>{id}</UntrustedText>
        </CheckBox>
        {transport !== undefined && <Badge>{transport}</Badge>}
        {isAdded && <Badge tone="good">{all.isAdded}</Badge>}
      </div>
      <ServerLines
        item={item}
        others={[[words.foundIn, foundIn.map(({ title, file }) => `${title} (${file})`).join(', ')]]}
      />
      {sameAs !== undefined && !isAdded && <p className="mt-2 text-[13px] text-soft">{words.sameAs(sameAs)}</p>}
      {isOpen && name !== id && (
        <p className="mt-2 text-[13px] text-warn">
          <UntrustedText>{words.renamed(name, id)}</UntrustedText>
        </p>
      )}
      {problems.length > 0 && (
        <ul className="mt-2 flex flex-col gap-1 text-[13px] text-bad">
          {problems.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <UntrustedText>{path === '' ? message : `${path}: ${message}`}</UntrustedText>
            </li>
          ))}
        </ul>
      )}
      {isOpen && choice !== undefined && (
        <>
          <TextField
            className="mt-3"
            label={words.idOf(name)}
            hint={all.idHint}
            required
            isCode
            value={choice.id}
            onChange={(event) => onChoice({ ...choice, id: event.target.value })}
            problem={refusal}
          />
          {missingVariables.length > 0 && (
            <ValueFields
              names={missingVariables}
              inputs={inputs}
              values={choice.values}
              onChange={(values) => onChoice({ ...choice, values })}
            />
          )}
        </>
      )}
      <ServerNotes notes={notes} ignoredKeys={ignoredKeys} />
    </li>
  )
}
