import type { AdminSettings } from '@tooldex/contract/admin'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useApi } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { ChangeForm } from '../parts/change-form.tsx'
import { TextField } from '../parts/field.tsx'
import { Loaded } from '../parts/states.tsx'
import { useText } from '../text/text.ts'

const LIMITS = ['auditKeepDays', 'auditMaxEntries'] as const
const LEAST = { auditKeepDays: 1, auditMaxEntries: 1_000 }

/** How long audit entries are kept. */
export function AuditRetention() {
  const settings = useApi('getSettings', {})
  return <Loaded answer={settings}>{(loaded) => <RetentionForm key={JSON.stringify(loaded)} loaded={loaded} />}</Loaded>
}

function RetentionForm({ loaded }: { readonly loaded: AdminSettings }) {
  const { settings: words, common } = useText()
  const [draft, setDraft] = useState(loaded.settings)
  const change = useChange('changeSettings', {
    tellsProblems: false,
    done: () => words.saved,
    touches: 'settings',
  })
  const isOurs = Object.values(loaded.from).includes('store')
  return (
    <ChangeForm
      className="max-w-xl p-5"
      change={change}
      fields={LIMITS}
      onSubmit={() => change.mutate({ body: draft })}
      actions={
        <div className="flex flex-wrap gap-2">
          <Button kind="primary" type="submit" busy={change.isPending}>
            {common.save}
          </Button>
          {isOurs && <Button onClick={() => change.mutate({ body: { unset: [...LIMITS] } })}>{words.reset}</Button>}
        </div>
      }
    >
      {(problemOf) =>
        LIMITS.map((limit) => (
          <TextField
            key={limit}
            label={words[limit]}
            hint={words.from[loaded.from[limit]]}
            type="number"
            min={LEAST[limit]}
            required
            value={Number.isNaN(draft[limit]) ? '' : draft[limit]}
            onChange={(event) => setDraft({ ...draft, [limit]: event.target.valueAsNumber })}
            problem={problemOf(limit)}
          />
        ))
      }
    </ChangeForm>
  )
}
