import { SelectField, TextAreaField, TextField } from '../parts/field.tsx'
import { plainText } from '../parts/unseen-characters.ts'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import type { SchemaField } from './schema-fields.ts'

interface ArgumentFormProps {
  readonly fields: readonly SchemaField[]
  readonly filled: ReadonlyMap<string, string>
  readonly problems: ReadonlyMap<string, string>
  readonly onChange: (filled: ReadonlyMap<string, string>) => void
}

/** One control for each parameter. */
export function ArgumentForm({ fields, filled, problems, onChange }: ArgumentFormProps) {
  const { tools: words } = useText()
  if (fields.length === 0) return <p className="text-sm text-soft">{words.noArguments}</p>
  return (
    <div className="flex flex-col gap-4">
      {fields.map((field) => (
        <ArgumentField
          key={field.name}
          field={field}
          value={filled.get(field.name) ?? ''}
          hasProblem={problems.has(field.name)}
          onChange={(value) => onChange(new Map(filled).set(field.name, value))}
        />
      ))}
    </div>
  )
}

interface ArgumentFieldProps {
  readonly field: SchemaField
  readonly value: string
  readonly hasProblem: boolean
  readonly onChange: (value: string) => void
}

function ArgumentField({ field, value, hasProblem, onChange }: ArgumentFieldProps) {
  const { tools: words, common } = useText()
  const name = plainText(field.name)
  const label = field.isRequired ? `${name} (${words.required})` : name
  const shared = {
    label,
    ...(field.description !== '' && { hint: <UntrustedText most={500}>{field.description}</UntrustedText> }),
    ...(hasProblem && { problem: words.expected(plainText(field.type)) }),
    required: field.isRequired,
  }
  const placeholder = field.fallback === undefined ? '' : plainText(JSON.stringify(field.fallback))
  if (field.control === 'boolean' || field.control === 'choice') {
    const choices =
      field.control === 'choice'
        ? field.choices.map((choice) => ({ value: choice, label: plainText(choice) }))
        : [
            { value: 'true', label: common.yes },
            { value: 'false', label: common.no },
          ]
    return (
      <SelectField
        {...shared}
        value={value}
        choices={[{ value: '', label: words.unset }, ...choices]}
        onChoose={onChange}
      />
    )
  }
  if (field.control === 'json')
    return (
      <TextAreaField
        {...shared}
        rows={3}
        placeholder={placeholder === '' ? 'JSON' : placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  return (
    <TextField
      {...shared}
      {...(field.control !== 'text' && { inputMode: 'decimal' as const })}
      placeholder={placeholder}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
