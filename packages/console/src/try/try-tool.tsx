import type { AdminToolDetail } from '@tooldex/contract/admin'
import { isRecord } from '@tooldex/http-kit/json'
import { Play, Square } from 'lucide-react'
import { useRef, useState } from 'react'
import { gatewayNow } from '../api/gateway-clock.ts'
import { useApi } from '../api/queries.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { SelectField } from '../parts/field.tsx'
import { JsonField } from '../parts/json/json-field.tsx'
import { Guarded } from '../parts/role.tsx'
import { ProblemNote } from '../parts/states.tsx'
import { RelativeTime } from '../parts/time.tsx'
import { useText } from '../text/text.ts'
import { forgetCalls, keepCall, pastCalls } from './call-history.ts'
import { type DraftProblem, valueOf } from './draft.ts'
import { ResultView } from './result-view.tsx'
import { argumentsDraft, SchemaForm } from './schema-form.tsx'
import { ServerQuestion } from './server-question.tsx'
import { type CallState, useCall } from './use-call.ts'

type Arguments = Readonly<Record<string, unknown>>

/** A form made from the input schema, the call as it goes on, its result, and earlier calls. */
export function TryTool({ tool }: { readonly tool: AdminToolDetail }) {
  const { tryIt: words } = useText()
  const schema = tool.definition['inputSchema'] ?? {}
  const names = new Map(useApi('listProjects', {}).data?.items.map(({ id, name }) => [id, name]))
  const [draft, setDraft] = useState(() => argumentsDraft(schema))
  const [json, setJson] = useState('{}')
  const [entry, setEntry] = useState<'form' | 'json'>('form')
  const [problems, setProblems] = useState<readonly DraftProblem[]>([])
  const [jsonProblem, setJsonProblem] = useState<string>()
  const [project, setProject] = useState(
    tool.projects.find(({ eligible }) => eligible)?.project ?? tool.projects[0]?.project ?? 'default',
  )
  const sent = useRef<{ readonly project: string; readonly arguments: Arguments }>(undefined)
  const [history, setHistory] = useState(() => pastCalls(tool.key))
  const { state, start, cancel, answer } = useCall((outcome, ms) => {
    if (sent.current === undefined) return
    keepCall({ tool: tool.key, ...sent.current, at: gatewayNow(), outcome, ms: Math.round(ms) })
    setHistory(pastCalls(tool.key))
  })
  const read = (): Arguments | undefined => {
    if (entry === 'json') {
      const given = objectOf(json)
      setJsonProblem(given === undefined ? words.badJson : undefined)
      return given
    }
    const { value, problems: found } = valueOf(draft, schema, schema)
    setProblems(found)
    return found.length > 0 ? undefined : isRecord(value) ? value : {}
  }
  const run = (args: Arguments | undefined): void => {
    if (args === undefined || state.isRunning) return
    sent.current = { project, arguments: args }
    void start(tool.key, project, args)
  }
  return (
    <div className="flex flex-col gap-4 p-5">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          run(read())
        }}
      >
        <p className="text-sm text-soft">{words.tryLead}</p>
        <Guarded needs="callTool">
          <div className="grid gap-3 sm:grid-cols-2">
            <SelectField
              label={words.project}
              value={project}
              choices={tool.projects.map((each) => ({
                value: each.project,
                label: names.get(each.project) ?? each.project,
              }))}
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
                if (next === 'json') setJson(JSON.stringify(valueOf(draft, schema, schema).value ?? {}, null, 2))
                else if (objectOf(json) !== undefined) setDraft(argumentsDraft(schema, objectOf(json)))
                setEntry(next)
              }}
            />
          </div>
          {entry === 'form' ? (
            <SchemaForm schema={schema} draft={draft} onChange={setDraft} problems={problems} />
          ) : (
            <JsonField
              label={words.asJson}
              rows={10}
              value={json}
              onText={(text) => {
                setJson(text)
                setJsonProblem(undefined)
              }}
              problem={jsonProblem}
            />
          )}
          <div className="flex flex-wrap items-center gap-2">
            <Button
              kind="primary"
              type="submit"
              needs="callTool"
              icon={<Play size={15} aria-hidden />}
              busy={state.isRunning}
            >
              {words.call}
            </Button>
            {state.isRunning && (
              <Button icon={<Square size={14} aria-hidden />} onClick={cancel}>
                {words.cancelCall}
              </Button>
            )}
          </div>
        </Guarded>
      </form>
      <Outcome state={state} onAnswer={answer} />
      {history.length > 0 && (
        <details className="text-sm">
          <summary className="w-fit cursor-pointer rounded text-[13px] font-medium text-soft hover:text-text">
            {words.history(history.length)}
          </summary>
          <ul className="mt-2 divide-y divide-line rounded-xl border border-line">
            {history.map((past) => (
              <li key={past.at} className="flex flex-wrap items-center gap-2 px-3 py-2">
                <Badge tone={past.outcome === 'ok' ? 'good' : past.outcome === 'failed' ? 'bad' : 'neutral'}>
                  {words.outcomes[past.outcome]}
                </Badge>
                <span className="min-w-0 flex-1 truncate font-mono text-xs">{JSON.stringify(past.arguments)}</span>
                <span className="text-[13px] text-faint">
                  {past.ms.toLocaleString()} ms · <RelativeTime at={past.at} />
                </span>
                <Button
                  size="small"
                  onClick={() => {
                    setDraft(argumentsDraft(schema, past.arguments))
                    setJson(JSON.stringify(past.arguments, null, 2))
                    setProblems([])
                  }}
                >
                  {words.useAgain}
                </Button>
              </li>
            ))}
          </ul>
          <Button
            size="small"
            kind="quiet"
            className="mt-2"
            onClick={() => {
              forgetCalls(tool.key)
              setHistory([])
            }}
          >
            {words.forgetHistory}
          </Button>
          <p className="mt-1 text-[13px] text-faint">{words.historyHint}</p>
        </details>
      )}
    </div>
  )
}

function Outcome({
  state,
  onAnswer,
}: {
  readonly state: CallState
  readonly onAnswer: ReturnType<typeof useCall>['answer']
}) {
  const { tryIt: words, common } = useText()
  const { answer, problem, progress, questions } = state
  return (
    <div aria-live="polite" className="flex flex-col gap-3 empty:hidden">
      {state.isRunning && progress !== undefined && (
        <div className="flex flex-col gap-1 text-[13px] text-soft">
          <progress
            className="h-1.5 w-full"
            aria-label={words.progress}
            {...(progress.total !== undefined && { max: progress.total, value: progress.progress ?? 0 })}
          />
          {words.progressed(progress.progress ?? 0, progress.total, progress.message)}
        </div>
      )}
      {questions.map((question) => (
        <ServerQuestion key={question.id} question={question} onAnswer={(result) => void onAnswer(question, result)} />
      ))}
      {state.isCancelled && <p className="text-sm text-soft">{words.cancelled}</p>}
      {problem !== undefined && <ProblemNote problem={problem} />}
      {answer !== undefined && (
        <section className="flex flex-col gap-2">
          <h3 className="flex flex-wrap items-baseline justify-between gap-2 text-sm font-semibold">
            {words.result}
            <span className="text-[13px] font-normal text-faint">
              {words.took(Math.round(answer.durationMs), common.tokensUnit(answer.tokens))}
            </span>
          </h3>
          <ResultView result={answer.result} />
        </section>
      )}
    </div>
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
