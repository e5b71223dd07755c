import type { AdminSettings } from '@tooldex/contract/admin'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useApi } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { problemOfField } from '../parts/problem-of-field.ts'
import { Loaded } from '../parts/states.tsx'
import { useText } from '../text/text.ts'

/** How long audit entries are kept. */
export function AuditRetention() {
  const settings = useApi('getSettings', {})
  return <Loaded answer={settings}>{(loaded) => <RetentionForm key={JSON.stringify(loaded)} loaded={loaded} />}</Loaded>
}

function RetentionForm({ loaded }: { readonly loaded: AdminSettings }) {
  const { settings: words, common } = useText()
  const [days, setDays] = useState(loaded.settings.auditKeepDays)
  const [entries, setEntries] = useState(loaded.settings.auditMaxEntries)
  const change = useChange('changeSettings', { done: () => words.saved, touches: 'settings' })
  const problemOf = problemOfField(change.error)
  const isOurs = Object.values(loaded.from).includes('store')
  return (
    <form
      className="flex flex-col gap-4 p-5"
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate({ body: { auditKeepDays: days, auditMaxEntries: entries } })
      }}
    >
      <TextField
        label={words.keepDays}
        hint={words.from[loaded.from.auditKeepDays]}
        type="number"
        min={1}
        required
        value={days}
        onChange={(event) => setDays(event.target.valueAsNumber)}
        problem={problemOf('auditKeepDays')}
      />
      <TextField
        label={words.maxEntries}
        hint={words.from[loaded.from.auditMaxEntries]}
        type="number"
        min={1_000}
        required
        value={entries}
        onChange={(event) => setEntries(event.target.valueAsNumber)}
        problem={problemOf('auditMaxEntries')}
      />
      <div className="flex gap-2">
        <Button kind="primary" type="submit" busy={change.isPending}>
          {common.save}
        </Button>
        {isOurs && (
          <Button onClick={() => change.mutate({ body: { unset: ['auditKeepDays', 'auditMaxEntries'] } })}>
            {words.reset}
          </Button>
        )}
      </div>
    </form>
  )
}
