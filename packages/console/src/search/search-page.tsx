import { useNavigate, useSearch } from '@tanstack/react-router'
import type { RouteBodyInput } from '@tooldex/contract/admin'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { useApi } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { Checklist } from '../parts/checklist.tsx'
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
  const { q = '', project = 'default', token, strategies = 'bm25,lexical' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const projects = useApi('listProjects', {}).data?.items ?? []
  const tokens = useApi('listTokens', {}).data?.items ?? []
  const [typed, setTyped] = useState(q)
  const set = (part: Record<string, string | undefined>): void =>
    void navigate({ to: '.', search: { q, project, token, strategies, ...part }, replace: true })
  return (
    <Page title={common.pages.search} lead={words.lead}>
      <form
        className="grid gap-4 rounded-2xl border border-line bg-surface p-5 lg:grid-cols-[2fr_1fr_1fr]"
        onSubmit={(event) => {
          event.preventDefault()
          set({ q: typed })
        }}
      >
        <div className="flex flex-col gap-3">
          <TextAreaField
            label={words.query}
            hint={words.queryHint}
            rows={4}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) set({ q: typed })
            }}
          />
          <Button kind="primary" type="submit" className="self-start" icon={<Search size={16} aria-hidden />}>
            {words.run}
          </Button>
        </div>
        <div className="flex flex-col gap-3">
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
        <div className="flex flex-col gap-1.5">
          <span className="text-[13px] font-medium">{words.strategies}</span>
          <Checklist
            label={words.strategies}
            choices={STRATEGIES.map((value) => ({ value, label: value }))}
            chosen={chosenOf(strategies)}
            onChange={(chosen) => chosen.length > 0 && set({ strategies: chosen.join(',') })}
          />
        </div>
      </form>
      {q.trim() === '' ? (
        <Card>
          <EmptyState icon={<Search size={24} aria-hidden />} title={words.start}>
            {words.startText}
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

function Answers({ asked }: { readonly asked: RouteBodyInput<'searchTools'> }) {
  const answers = useApi(
    'searchTools',
    { body: asked },
    { staleTime: Number.POSITIVE_INFINITY, placeholderData: (before) => before },
  )
  return (
    <Loaded answer={answers}>
      {(loaded) => (
        <div className="grid items-start gap-5 lg:grid-cols-2 2xl:grid-cols-3" aria-live="polite">
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
