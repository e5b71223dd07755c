import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { SearchAnswerShown } from '@tooldex/contract/admin'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { useApi } from '../api/queries.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { SelectField, TextAreaField } from '../parts/field.tsx'
import { Card, Page } from '../parts/page.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { plainText } from '../parts/invisible-characters.ts'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { ExpectedTool } from './expected-tool.tsx'
import { missingWords, type PartRank, type Ranks, ranksOf } from './ranks.ts'

const STRATEGIES = ['hybrid', 'bm25', 'embeddings', 'lexical', 'regex', 'cloud'] as const
type Strategy = (typeof STRATEGIES)[number]

const SHOWN = 10
/** Enough that a tool at the end of one column has a rank in another. */
const RANKED = 50
/** The parts that `hybrid` combines. */
const PARTS = ['bm25', 'embeddings'] as const satisfies Strategy[]

function withParts(strategies: readonly Strategy[]): Strategy[] {
  return [...new Set([...strategies, ...(strategies.includes('hybrid') ? PARTS : [])])]
}

/** The playground: results of several strategies side by side, with reasons. The query is kept in the address. */
export function SearchPage() {
  const { search: words, common } = useText()
  const { q = '', project = 'default', token, strategies = 'hybrid,bm25' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const projects = useApi('listProjects', {}).data?.items ?? []
  const tokens = useApi('listTokens', {}).data?.items ?? []
  const [typed, setTyped] = useState(q)
  const [shown, setShown] = useState(q)
  // "Back" shows the search before, also in the field.
  if (shown !== q) {
    setShown(q)
    setTyped(q)
  }
  const set = (part: Record<string, string | undefined>): void =>
    void navigate({ to: '.', search: { q, project, token, strategies, ...part }, replace: !('q' in part) })
  const search = (text: string): void => {
    setTyped(text)
    if (text !== q) set({ q: text })
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

/** Chooses the strategies to compare; at least one stays selected. */
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

function Answers({ asked }: { readonly asked: Asked }) {
  const { search: words } = useText()
  const { strategies } = asked
  const answers = useApi(
    'searchTools',
    { body: { ...asked, strategies: withParts(strategies), maxResults: RANKED } },
    { staleTime: Number.POSITIVE_INFINITY, placeholderData: (before) => before },
  )
  const [query = '', ...others] = asked.query
  return (
    <Loaded answer={answers}>
      {(loaded) => {
        const ranks = ranksOf(loaded.answers)
        const shown = loaded.answers.filter(({ strategy }) => strategies.includes(strategy))
        return (
          <>
            <div
              className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,25rem),1fr))] items-start gap-5"
              aria-live="polite"
            >
              {shown.map((answer) => (
                <AnswerColumn
                  key={answer.strategy}
                  answer={answer}
                  ranks={ranks}
                  comparedWith={shown[0]?.strategy ?? answer.strategy}
                />
              ))}
            </div>
            {others.length === 0 ? (
              <ExpectedTool key={`${asked.project} ${query}`} project={asked.project} query={query} />
            ) : (
              <p className="text-sm text-soft">{words.expectedOfOne}</p>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

interface Asked {
  readonly query: string[]
  readonly project: string
  readonly strategies: readonly Strategy[]
  readonly token?: string
}

function chosenOf(text: string): Strategy[] {
  const wanted = text.split(',')
  return STRATEGIES.filter((strategy) => wanted.includes(strategy))
}

/** The answer of one strategy: results with relevance and reason, and the tools left out. */
function AnswerColumn({
  answer,
  ranks,
  comparedWith,
}: {
  readonly answer: SearchAnswerShown
  readonly ranks: Ranks
  readonly comparedWith: Strategy
}) {
  const { search: words, common } = useText()
  const first = answer.hits[0]
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-2">
          {answer.strategy}
          {answer.answeredBy !== answer.strategy && (
            <Badge tone="warn" {...(answer.degraded !== undefined && { title: answer.degraded })}>
              {words.answeredBy(answer.answeredBy)}
            </Badge>
          )}
        </span>
      }
      actions={
        <span className="flex flex-wrap items-center gap-2 text-[13px] text-faint">
          {answer.verdict !== undefined && (
            <Badge tone={VERDICT_TONES[answer.verdict]}>{words.verdicts[answer.verdict]}</Badge>
          )}
          {words.answered(Math.round(answer.ms * 100) / 100)}
        </span>
      }
    >
      {answer.problem !== undefined && (
        <p className="px-5 pt-4 text-sm text-bad">
          <UntrustedText>{answer.problem}</UntrustedText>
        </p>
      )}
      {answer.degraded !== undefined && <p className="px-5 pt-4 text-sm text-warn">{answer.degraded}</p>}
      {answer.notice !== undefined && (
        <p className="px-5 pt-4 pb-2 text-sm text-soft">
          <UntrustedText>{answer.notice}</UntrustedText>
        </p>
      )}
      {answer.hits.length === 0 ? (
        answer.notice === undefined && <p className="p-5 text-sm text-soft">{words.nothing}</p>
      ) : (
        <ol className="divide-y divide-line">
          {answer.hits.slice(0, SHOWN).map((hit, place) => (
            <li key={hit.toolKey} className="flex flex-col gap-1 px-5 py-3 text-sm">
              <div className="flex items-baseline gap-2">
                <span className="w-5 shrink-0 text-faint tabular-nums">{place + 1}</span>
                <Link
                  to="/tools/$tool"
                  params={{ tool: hit.toolKey }}
                  className="min-w-0 flex-1 font-mono text-[13px] font-medium hover:underline"
                >
                  <UntrustedText>{hit.toolKey}</UntrustedText>
                </Link>
                {answer.strategy !== comparedWith && (
                  <RankDifference
                    rank={place + 1}
                    other={ranks.get(hit.toolKey)?.get(comparedWith)?.rank}
                    of={comparedWith}
                  />
                )}
                <span className="tabular-nums" title={words.relevanceHint}>
                  {relevanceText(hit.relevance)}
                </span>
              </div>
              <meter
                aria-label={words.relevance}
                min={0}
                max={1}
                value={hit.relevance}
                className="ml-7 h-1 w-[calc(100%-1.75rem)]"
              />
              <div className="ml-7 flex flex-col gap-0.5 text-[13px]">
                {hit.explanation !== undefined && (
                  <p className="text-accent-strong">
                    <UntrustedText most={300}>{hit.explanation}</UntrustedText>
                  </p>
                )}
                {answer.strategy === 'hybrid' && <ScoreParts ranks={ranks.get(hit.toolKey)} />}
                {place > 0 && first !== undefined && <WhyNotFirst hit={hit} first={first} />}
                {hit.description !== undefined && (
                  <p className="line-clamp-2 text-soft">
                    <UntrustedText most={300}>{hit.description}</UntrustedText>
                  </p>
                )}
                <p className="line-clamp-2 font-mono text-xs text-faint" title={plainText(hit.signature)}>
                  <UntrustedText most={400}>{hit.signature}</UntrustedText>
                </p>
              </div>
            </li>
          ))}
        </ol>
      )}
      <footer className="border-t border-line px-5 py-3 text-[13px] text-soft">
        <p title={common.tokensHint}>{words.cost(common.tokensUnit(answer.tokens))}</p>
        {answer.leftOut.length > 0 && (
          <details className="mt-1.5">
            <summary className="cursor-pointer font-medium">{words.leftOut(answer.leftOut.length)}</summary>
            <ul className="mt-1.5 flex flex-col gap-1">
              {answer.leftOut.map(({ toolKey, reason }) => (
                <li key={toolKey}>
                  <span className="font-mono text-xs">
                    <UntrustedText>{toolKey}</UntrustedText>
                  </span>{' '}
                  <UntrustedText>{reason}</UntrustedText>
                </li>
              ))}
            </ul>
          </details>
        )}
      </footer>
    </Card>
  )
}

/** Where the other column has the tool. */
function RankDifference({
  rank,
  other,
  of,
}: {
  readonly rank: number
  readonly other: number | undefined
  readonly of: string
}) {
  const { search: words } = useText()
  const title = other === undefined ? words.notIn(of) : words.rankIn(other, of)
  if (other === rank) return null
  const isUp = other === undefined || other > rank
  return (
    <span title={title} className={`text-xs whitespace-nowrap tabular-nums ${isUp ? 'text-good' : 'text-warn'}`}>
      {other === undefined ? words.isNew : isUp ? `↑ ${other - rank}` : `↓ ${rank - other}`}
      <span className="sr-only"> {title}</span>
    </span>
  )
}

/** How words alone and meaning alone rank the tool. */
function ScoreParts({ ranks }: { readonly ranks: ReadonlyMap<string, PartRank> | undefined }) {
  const { search: words } = useText()
  return (
    <p className="flex flex-wrap gap-x-3 text-xs text-soft tabular-nums">
      {PARTS.map((part) => {
        const found = ranks?.get(part)
        return (
          <span key={part}>
            {words.parts[part]}{' '}
            {found === undefined ? words.notFoundBy : `${words.place(found.rank)}, ${relevanceText(found.relevance)}`}
          </span>
        )
      })}
    </p>
  )
}

/** The words that the first hit has and this one lacks. */
function WhyNotFirst({ hit, first }: { readonly hit: Hit; readonly first: Hit }) {
  const { search: words } = useText()
  const missing = missingWords(first.explanation, hit.explanation)
  if (missing.length === 0) return null
  return (
    <p className="text-xs text-faint">
      <UntrustedText most={200}>{words.lacks(missing.join(', '))}</UntrustedText>
    </p>
  )
}

type Hit = SearchAnswerShown['hits'][number]

const VERDICT_TONES = { found: 'good', unsure: 'warn', none: 'bad' } as const

/** The probability that a tool serves the request; never 0 % for a result. */
function relevanceText(relevance: number): string {
  return relevance > 0 && relevance < 0.005 ? '< 1%' : `${Math.round(relevance * 100)}%`
}
