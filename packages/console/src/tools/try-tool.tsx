import type { AdminToolDetail, RouteAnswer } from '@tooldex/contract/admin'
import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import { Play } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { SelectField, TextAreaField, TextField } from '../parts/field.tsx'
import { ProblemNote } from '../parts/states.tsx'
import { plainText } from '../parts/invisible-characters.ts'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useChange } from '../parts/use-change.ts'
import { useText } from '../text/text.ts'
import { argumentsOf, fieldsOf, type SchemaField } from './schema-fields.ts'

/** A form made from the input schema, and the result of the call. */
export function TryTool({ tool }: { readonly tool: AdminToolDetail }) {
  const { tools: words } = useText()
  const fields = fieldsOf(tool.definition['inputSchema'])
  const [filled, setFilled] = useState<ReadonlyMap<string, string>>(new Map())
  const [json, setJson] = useState('{}')
  const [entry, setEntry] = useState<'form' | 'json'>('form')
  const [project, setProject] = useState(
    tool.projects.find(({ eligible }) => eligible)?.project ?? tool.projects[0]?.project ?? 'default',
  )
  const calling = useChange('callTool', { problemToast: false, touches: 'settings' })
  const { values, problems } = argumentsOf(fields, filled)
  const given = entry === 'form' ? values : objectOf(json)
  return (
    <form
      className="flex flex-col gap-4 p-5"
      onSubmit={(event) => {
        event.preventDefault()
        if (given !== undefined && (entry === 'json' || problems.size === 0)) {
          calling.mutate({ params: { tool: tool.key }, body: { project, arguments: given } })
        }
      }}
    >
      <p className="text-sm text-soft">{words.tryLead}</p>
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label={words.project}
          value={project}
          choices={tool.projects.map((each) => ({ value: each.project, label: each.project }))}
          onChoose={setProject}
        />
        <SelectField
          label={words.entry}
          value={entry}
          choices={[
            { value: 'form', label: words.asForm },
            { value: 'json', label: words.asJson },
          ]}
          onChoose={(next) => {
            if (next === 'json') setJson(JSON.stringify(values, null, 2))
            setEntry(next)
          }}
        />
      </div>
      {entry === 'form' ? (
        <ArgumentForm fields={fields} filled={filled} problems={problems} onChange={setFilled} />
      ) : (
        <TextAreaField
          label={words.asJson}
          rows={10}
          value={json}
          onChange={(event) => setJson(event.target.value)}
          problem={given === undefined ? words.badJson : undefined}
        />
      )}
      <Button
        kind="primary"
        type="submit"
        className="self-start"
        icon={<Play size={15} aria-hidden />}
        busy={calling.isPending}
      >
        {words.call}
      </Button>
      <div aria-live="polite" className="empty:-mt-4">
        {calling.error !== null && <ProblemNote problem={calling.error} />}
        {calling.data !== undefined && <Answer answer={calling.data} />}
      </div>
    </form>
  )
}

function Answer({ answer }: { readonly answer: RouteAnswer<'callTool'> }) {
  const { tools: words, common } = useText()
  return (
    <section className="flex flex-col gap-2">
      <h3 className="flex flex-wrap items-baseline justify-between gap-2 text-sm font-semibold">
        {words.result}
        <span className="text-[13px] font-normal text-faint">
          {words.took(Math.round(answer.durationMs), common.tokensUnit(answer.tokens))}
        </span>
      </h3>
      <ResultView result={answer.result} />
    </section>
  )
}

function objectOf(json: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(json) as unknown
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

interface ArgumentFormProps {
  readonly fields: readonly SchemaField[]
  readonly filled: ReadonlyMap<string, string>
  readonly problems: ReadonlyMap<string, string>
  readonly onChange: (filled: ReadonlyMap<string, string>) => void
}

/** One control per parameter. */
function ArgumentForm({ fields, filled, problems, onChange }: ArgumentFormProps) {
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

/** The result of a tool: text as text, the rest as JSON. Nothing of it is rendered, loaded or run. */
function ResultView({ result }: { readonly result: JsonObject }) {
  const { tools: words } = useText()
  const blocks = Array.isArray(result['content']) ? (result['content'] as readonly unknown[]) : []
  return (
    <div className="flex flex-col gap-2.5">
      {result['isError'] === true && <Badge tone="bad">{words.failed}</Badge>}
      {blocks.map((block, place) => (
        <Block key={place} block={block} />
      ))}
      {result['structuredContent'] !== undefined && (
        <CodeBlock text={JSON.stringify(result['structuredContent'], null, 2)} what={words.output} />
      )}
      {blocks.length === 0 && result['structuredContent'] === undefined && (
        <CodeBlock text={JSON.stringify(result, null, 2)} what={words.result} />
      )}
    </div>
  )
}

function Block({ block }: { readonly block: unknown }) {
  const { tools: words } = useText()
  const { type, text, mimeType, data }: JsonObject = isRecord(block) ? block : {}
  if (type === 'text' && typeof text === 'string') return <CodeBlock text={text} what={words.result} />
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    return (
      <p className="rounded-xl border border-line bg-sunken px-4 py-3 text-sm text-soft">
        {type === 'audio' ? words.audio : words.image} · <UntrustedText>{String(mimeType)}</UntrustedText> ·{' '}
        {Math.round((data.length * 3) / 4).toLocaleString()} B
      </p>
    )
  }
  return <CodeBlock text={JSON.stringify(block, null, 2)} what={words.resource} />
}
