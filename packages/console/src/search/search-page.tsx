import { useNavigate, useSearch } from '@tanstack/react-router'
import type { RouteBodyInput } from '@tooldex/contract/admin'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { useApi } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { SelectField, TextAreaField } from '../parts/field.tsx'
import { Card, Page } from '../parts/page.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { useText } from '../text/text.ts'
import { AnswerColumn } from './answer-column.tsx'

const STRATEGIES = ['hybrid', 'bm25', 'embeddings', 'lexical', 'regex', 'cloud'] as const
type Strategy = (typeof STRATEGIES)[number]

/** The playground: several strategies side by side, and why. What is searched is in the address. */
export function SearchPage() {
  const { search: words, common } = useText()
  const { q = '', project = 'default', token, strategies = 'hybrid,bm25' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const projects = useApi('listProjects', {}).data?.items ?? []
  const tokens = useApi('listTokens', {}).data?.items ?? []
  const [typed, setTyped] = useState(q)
  const set = (part: Record<string, string | undefined>): void =>
    void navigate({ to: '.', search: { q, project, token, strategies, ...part }, replace: true })
  const search = (text: string): void => {
    setTyped(text)
    set({ q: text })
  }
  return (
    <Page title={common.pages.search} lead={words.lead}>
      <form
        className="grid gap-x-5 gap-y-4 rounded-2xl border border-line bg-surface p-5 lg:grid-cols-[5fr_6fr]"
        onSubmit={(event) => {
          event.preventDefault()
          search(typed)
        }}
      >
        <TextAreaField
          name="query"
          label={words.query}
          hint={words.queryHint}
          rows={3}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) search(typed)
          }}
        />
        <div className="flex flex-col gap-4">
          <div className="grid gap-3 sm:grid-cols-2">
            <SelectField
              label={words.project}
              value={project}
              choices={projects.map(({ id, name }) => ({ value: id, label: name }))}
              onChoose={(id) => set({ project: id })}
            />
            <SelectField
              label={words.token}
              value={token ?? ''}
              choices={[
                { value: '', label: words.anyToken },
                ...tokens.filter(({ kind }) => kind === 'client').map(({ id, name }) => ({ value: id, label: name })),
              ]}
              onChoose={(id) => set({ token: id === '' ? undefined : id })}
            />
          </div>
          <Strategies chosen={chosenOf(strategies)} onChange={(chosen) => set({ strategies: chosen.join(',') })} />
        </div>
        <Button kind="primary" type="submit" className="justify-self-start" icon={<Search size={16} aria-hidden />}>
          {words.run}
        </Button>
      </form>
      {q.trim() === '' ? (
        <Card>
          <EmptyState icon={<Search size={24} aria-hidden />} title={words.start}>
            <p>{words.startText}</p>
            <ul className="mt-3 flex flex-wrap justify-center gap-2" aria-label={words.startText}>
              {words.examples.map((example) => (
                <li key={example}>
                  <Button size="small" className="rounded-full" onClick={() => search(example)}>
                    {example}
                  </Button>
                </li>
              ))}
            </ul>
          </EmptyState>
        </Card>
      ) : (
        <Answers
          asked={{
            query: q.split('\n').filter((line) => line.trim() !== ''),
            project,
            strategies: chosenOf(strategies),
            ...(token !== undefined && { token }),
          }}
        />
      )}
    </Page>
  )
}

interface StrategiesProps {
  readonly chosen: readonly Strategy[]
  readonly onChange: (chosen: readonly Strategy[]) => void
}

/** The strategies that answer side by side; one of them always does. */
function Strategies({ chosen, onChange }: StrategiesProps) {
  const { search: words } = useText()
  const toggle = (strategy: Strategy): void => {
    const next = STRATEGIES.filter((each) => chosen.includes(each) !== (each === strategy))
    if (next.length > 0) onChange(next)
  }
  return (
    <div className="flex flex-col gap-1.5">
      <span className="text-[13px] font-medium" aria-hidden>
        {words.strategies}
      </span>
      <div className="flex flex-wrap gap-2" role="group" aria-label={words.strategies}>
        {STRATEGIES.map((strategy) => (
          <Chip
            key={strategy}
            label={strategy}
            state={chosen.includes(strategy) ? 'true' : undefined}
            onToggle={() => toggle(strategy)}
          />
        ))}
      </div>
    </div>
  )
}

function Answers({ asked }: { readonly asked: RouteBodyInput<'searchTools'> }) {
  const answers = useApi(
    'searchTools',
    { body: asked },
    { staleTime: Number.POSITIVE_INFINITY, placeholderData: (before) => before },
  )
  return (
    <Loaded answer={answers}>
      {(loaded) => (
        <div
          className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,25rem),1fr))] items-start gap-5"
          aria-live="polite"
        >
          {loaded.answers.map((answer) => (
            <AnswerColumn key={answer.strategy} answer={answer} />
          ))}
        </div>
      )}
    </Loaded>
  )
}

function chosenOf(text: string): Strategy[] {
  const wanted = text.split(',')
  return STRATEGIES.filter((strategy) => wanted.includes(strategy))
}
