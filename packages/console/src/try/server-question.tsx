import { MessageCircleQuestion } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { TextAreaField } from '../parts/field.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { type DraftProblem, valueOf } from './draft.ts'
import { argumentsDraft, SchemaForm } from './schema-form.tsx'
import type { Question } from './use-call.ts'

/** A question of the server to the person or to their model, answered here. */
export function ServerQuestion({
  question,
  onAnswer,
}: {
  readonly question: Question
  readonly onAnswer: (result: Readonly<Record<string, unknown>>) => void
}) {
  const { tryIt: words } = useText()
  const isSampling = question.method === 'sampling/createMessage'
  return (
    <section
      aria-live="polite"
      className="flex flex-col gap-3 rounded-xl border border-accent/40 bg-accent-soft/40 p-4"
    >
      <h3 className="flex items-center gap-2 text-sm font-semibold">
        <MessageCircleQuestion size={17} className="text-accent" aria-hidden />
        {isSampling ? words.samplingAsked : words.elicitationAsked}
      </h3>
      {isSampling ? <Sampling {...{ question, onAnswer }} /> : <Elicitation {...{ question, onAnswer }} />}
    </section>
  )
}

interface AskedProps {
  readonly question: Question
  readonly onAnswer: (result: Readonly<Record<string, unknown>>) => void
}

function Elicitation({ question: { params }, onAnswer }: AskedProps) {
  const { tryIt: words } = useText()
  const schema = params['requestedSchema']
  const { url } = params
  const [draft, setDraft] = useState(() => argumentsDraft(schema))
  const [problems, setProblems] = useState<readonly DraftProblem[]>([])
  const accept = (): void => {
    if (schema === undefined) return onAnswer({ action: 'accept' })
    const { value, problems: found } = valueOf(draft, schema, schema)
    setProblems(found)
    if (found.length === 0) onAnswer({ action: 'accept', content: value ?? {} })
  }
  return (
    <>
      {typeof params['message'] === 'string' && (
        <p className="text-sm wrap-anywhere">
          <UntrustedText most={2_000}>{params['message']}</UntrustedText>
        </p>
      )}
      {typeof url === 'string' && <CodeBlock text={url} what="URL" most={2_000} />}
      {schema !== undefined && <SchemaForm schema={schema} draft={draft} onChange={setDraft} problems={problems} />}
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" onClick={accept}>
          {words.accept}
        </Button>
        <Button onClick={() => onAnswer({ action: 'decline' })}>{words.decline}</Button>
        <Button kind="quiet" onClick={() => onAnswer({ action: 'cancel' })}>
          {words.dismiss}
        </Button>
      </div>
    </>
  )
}

function Sampling({ question: { params }, onAnswer }: AskedProps) {
  const { tryIt: words } = useText()
  const [text, setText] = useState('')
  return (
    <>
      <CodeBlock
        text={JSON.stringify(params['messages'] ?? params, null, 2)}
        what={words.samplingAsked}
        most={20_000}
      />
      <TextAreaField
        label={words.samplingAnswer}
        rows={3}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button
        kind="primary"
        className="self-start"
        onClick={() =>
          onAnswer({ role: 'assistant', model: 'person', stopReason: 'endTurn', content: { type: 'text', text } })
        }
      >
        {words.sendAnswer}
      </Button>
    </>
  )
}
