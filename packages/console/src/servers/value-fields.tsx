import type { ServerPreview } from '@tooldex/contract/admin'
import { TextField } from '../parts/field.tsx'
import { useText } from '../text/text.ts'

/** Values by the names that a server refers to. */
export type Values = Readonly<Record<string, string>>

interface ValueFieldsProps {
  readonly names: readonly string[]
  /** What the pasted file says about them. */
  readonly inputs?: ServerPreview['items'][number]['inputs']
  readonly values: Values
  readonly onChange: (values: Values) => void
}

/** A field for each value that a server lacks. */
export function ValueFields({ names, inputs = [], values, onChange }: ValueFieldsProps) {
  const { servers: words } = useText()
  return (
    <div className="mt-3 flex flex-col gap-3">
      {names.map((name) => (
        <TextField
          key={name}
          label={words.valueOf(name)}
          hint={inputs.find(({ id }) => id === name)?.description ?? words.valueHint}
          type="password"
          isCode
          value={values[name] ?? ''}
          onChange={(event) => onChange({ ...values, [name]: event.target.value })}
        />
      ))}
    </div>
  )
}

/** The values that were entered; empty fields are left out. */
export function enteredValues(values: Values): Values | undefined {
  const entered = Object.entries(values).filter(([, value]) => value !== '')
  return entered.length === 0 ? undefined : Object.fromEntries(entered)
}
