import type { AdminToolDetail, RouteAnswer } from '@tooldex/contract/admin'
import { Play } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { Button } from '../parts/button.tsx'
import { SelectField, TextAreaField } from '../parts/field.tsx'
import { ProblemNote } from '../parts/states.tsx'
import { useText } from '../text/text.ts'
import { ArgumentForm } from './argument-form.tsx'
import { ResultView } from './result-view.tsx'
import { argumentsOf, fieldsOf } from './schema-fields.ts'

/** A form made from the schema, and what the call brought back. */
export function TryTool({ tool }: { readonly tool: AdminToolDetail }) {
  const { tools: words } = useText()
  const fields = fieldsOf(tool.definition['inputSchema'])
  const [filled, setFilled] = useState<ReadonlyMap<string, string>>(new Map())
  const [json, setJson] = useState('{}')
  const [entry, setEntry] = useState<'form' | 'json'>('form')
  const [project, setProject] = useState(
    tool.projects.find(({ eligible }) => eligible)?.project ?? tool.projects[0]?.project ?? 'default',
  )
  const calling = useChange('callTool', { tellsProblems: false, touches: 'settings' })
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
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
