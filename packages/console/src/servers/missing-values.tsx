import type { AdminServer } from '@tooldex/contract/admin'
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { LeaveGuard } from '../parts/forms/leave-guard.tsx'
import { Guarded } from '../parts/role.tsx'
import { useChange } from '../parts/forms/use-change.ts'
import { useText } from '../text/text.ts'
import { enteredValues, ValueFields, type Values } from './value-fields.tsx'

/** The values that a server lacks: it stays off until somebody enters them. */
export function MissingValues({ server }: { readonly server: AdminServer }) {
  const { servers: words } = useText()
  const [values, setValues] = useState<Values>({})
  const change = useChange('changeServer', {
    done: () => words.valuesSaved(server.name),
    onDone: () => setValues({}),
  })
  const { missingValues = [] } = server
  const inputs = enteredValues(values)
  if (missingValues.length === 0 || server.managedBy === 'file') return null
  return (
    <section className="rounded-xl border border-warn/30 bg-warn-soft px-4 py-3 text-sm">
      <h3 className="font-medium text-warn">{words.missing(missingValues)}</h3>
      <Guarded needs="changeServer">
        <ValueFields names={missingValues} values={values} onChange={setValues} />
      </Guarded>
      <Button
        className="mt-3"
        kind="primary"
        needs="changeServer"
        disabled={inputs === undefined}
        busy={change.isPending}
        onClick={() =>
          change.mutate({
            params: { server: server.id },
            body: { inputs: { ...server.config.inputs, ...inputs } },
            ifMatch: server.revision,
          })
        }
      >
        {words.saveValues}
      </Button>
      <LeaveGuard isChanged={inputs !== undefined} />
    </section>
  )
}
