import type { ImportPlan } from '@tooldex/contract/admin'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { addressOf } from '../api/call.ts'
import { useChange } from '../api/change.ts'
import { ApiProblem } from '../api/problem.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { TextAreaField } from '../parts/field.tsx'
import { ProblemNote } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { useText } from '../text/text.ts'

type Entry = ImportPlan['entries'][number]

/** Moves everything to another gateway and back; an import shows what it would do first. */
export function Transfer() {
  const { settings: words } = useText()
  const [text, setText] = useState('')
  const [badJson, setBadJson] = useState<string>()
  const check = useChange('importAll', { tellsProblems: false })
  const apply = useChange('importAll', { tellsProblems: false, done: () => words.applied, onDone: () => check.reset() })
  const send = (change: typeof check, dryRun: 'true' | 'false'): void => {
    try {
      change.mutate({ query: { dryRun }, body: JSON.parse(text) as Record<string, unknown> })
      setBadJson(undefined)
    } catch (error) {
      setBadJson((error as Error).message)
    }
  }
  const problem = check.error ?? apply.error
  const plan = check.data
  return (
    <div className="flex flex-col gap-4 p-5">
      <p className="text-sm text-soft">{words.transferLead}</p>
      <a
        href={addressOf('exportAll', {})}
        download="tooldex-export.json"
        className="inline-flex h-9.5 items-center gap-1.5 self-start rounded-lg border border-line px-3.5 text-sm font-medium hover:bg-sunken"
      >
        <Download size={15} aria-hidden />
        {words.export}
      </a>
      <TextAreaField
        label={words.import}
        hint={words.importLead}
        value={text}
        problem={badJson}
        onChange={(event) => {
          setText(event.target.value)
          check.reset()
        }}
      />
      {problem instanceof ApiProblem && <ProblemNote problem={problem} />}
      {plan !== undefined && <Plan plan={plan} />}
      <div className="flex gap-2">
        <Button disabled={text.trim() === ''} busy={check.isPending} onClick={() => send(check, 'true')}>
          {words.check}
        </Button>
        {plan !== undefined && plan.problems.length === 0 && (
          <Button kind="primary" busy={apply.isPending} onClick={() => send(apply, 'false')}>
            {words.apply}
          </Button>
        )}
      </div>
    </div>
  )
}

function Plan({ plan }: { readonly plan: ImportPlan }) {
  const { settings: words } = useText()
  const columns: readonly Column<Entry>[] = [
    { id: 'entry', title: words.entry, cell: ({ what, id }) => `${words.whats[what]} ${id}` },
    {
      id: 'action',
      title: words.action,
      cell: ({ action, reason }) => (
        <span className="flex flex-wrap items-center gap-2">
          <Badge tone={action === 'refused' ? 'bad' : action === 'unchanged' ? 'neutral' : 'good'}>
            {words.actions[action]}
          </Badge>
          {reason}
        </span>
      ),
    },
  ]
  return (
    <div className="rounded-xl border border-line">
      {plan.problems.map(({ path, message }) => (
        <p key={`${path} ${message}`} className="px-4 py-2 text-sm text-bad">
          {path}: {message}
        </p>
      ))}
      <Table caption={words.import} rows={plan.entries} columns={columns} rowKey={({ what, id }) => `${what} ${id}`} />
    </div>
  )
}
