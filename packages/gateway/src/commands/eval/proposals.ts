import type { IndexedTool } from '@tooldex/search'
import { missingWords } from '@tooldex/search/relevance'
import type { JudgedQuery } from './queries.ts'
import { type Outcome, type StrategyOutcome, summarise } from './ranker.ts'

/** A better description for a tool, and its effect on the results of all queries. */
export interface Proposal {
  readonly toolKey: string
  /** Words of queries that are missing from the tool. */
  readonly added: readonly string[]
  readonly description: string
  /** For the queries whose relevant tools include this one. */
  readonly ofTool: Comparison
  /** For all queries. */
  readonly ofAll: Comparison
  /**
   * For each query that contributed words, with the words of the other queries only: an estimate for new queries. Absent
   * for a single query.
   */
  readonly unseen?: Comparison
}

/** NDCG@10 before and after. */
export interface Comparison {
  readonly before: number
  readonly after: number
}

/** The input of `proposeDescriptions`. */
export interface ProposalBasis {
  readonly tools: ReadonlyMap<string, IndexedTool>
  readonly outcomes: readonly Outcome[]
  /** Ranks queries with a changed description of one tool. */
  readonly tryWith: (tool: IndexedTool, queries: readonly JudgedQuery[]) => Promise<StrategyOutcome>
  readonly onStep?: (done: number, total: number) => void
}

/** Every proposal takes a run over all queries. */
const MOST_PROPOSALS = 20
const MOST_WORDS = 12
const MOST_UNSEEN = 20
/** Smaller gains are noise. */
const LEAST_GAIN = 0.001

/**
 * Extends the descriptions of relevant tools that were not ranked first by the words of queries that they lack. Proposes
 * only changes that improve both the tool's own queries and all queries together.
 */
export async function proposeDescriptions(basis: ProposalBasis): Promise<readonly Proposal[]> {
  const candidates = candidatesOf(basis).slice(0, MOST_PROPOSALS)
  const proposals: Proposal[] = []
  for (const [done, candidate] of candidates.entries()) {
    basis.onStep?.(done, candidates.length)
    const proposal = await tried(candidate, basis)
    if (proposal === undefined) continue
    const unseen = await triedUnseen(candidate, basis)
    proposals.push({ ...proposal, ...(unseen !== undefined && { unseen }) })
  }
  return proposals.toSorted((a, b) => gainOf(b) - gainOf(a) || (a.toolKey < b.toolKey ? -1 : 1))
}

interface Candidate {
  readonly tool: IndexedTool
  /** Its queries that rank another tool first. */
  readonly failing: readonly Outcome[]
  readonly added: readonly string[]
  readonly lost: number
}

/** Tools with missing words, ordered by how much their queries lose. */
function candidatesOf({ tools, outcomes }: ProposalBasis): Candidate[] {
  const failing = outcomes.filter(({ figures }) => figures.ndcg10 < 1)
  const wanted = new Set(failing.flatMap(({ query }) => [...query.relevant]))
  return [...wanted]
    .flatMap((key) => {
      const tool = tools.get(key)
      if (tool === undefined) return []
      const own = failing.filter(({ query, ranking }) => query.relevant.has(key) && ranking[0] !== key)
      const added = lackingWords(tool, own)
      const lost = own.reduce((sum, { figures }) => sum + 1 - figures.ndcg10, 0)
      return added.length === 0 ? [] : [{ tool, failing: own, added, lost }]
    })
    .toSorted((a, b) => b.lost - a.lost || (a.tool.id < b.tool.id ? -1 : 1))
}

/** Words of queries that are missing from the tool, most frequent first. */
function lackingWords(tool: IndexedTool, failing: readonly Outcome[]): readonly string[] {
  const text = [tool.name, tool.title, tool.namespace, tool.description].join(' ')
  const counts = new Map<string, number>()
  for (const word of failing.flatMap(({ query }) => missingWords(query.queries.join(' '), text)))
    counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST_WORDS)
    .map(([word]) => word)
}

async function tried({ tool, added }: Candidate, basis: ProposalBasis): Promise<Proposal | undefined> {
  const { tryWith, outcomes } = basis
  const better = withWords(tool, added)
  const after = await tryWith(
    better,
    outcomes.map(({ query }) => query),
  )
  const isOwn = ({ query }: Outcome): boolean => query.relevant.has(tool.id)
  const compared = (which: (outcome: Outcome) => boolean) => ({
    before: summarise(outcomes.filter(which)).ndcg10,
    after: summarise(after.outcomes.filter(which)).ndcg10,
  })
  const { description = '' } = better
  const proposal = { toolKey: tool.id, added, description, ofTool: compared(isOwn), ofAll: compared(() => true) }
  return gainOf(proposal) > 0 && proposal.ofTool.after - proposal.ofTool.before >= LEAST_GAIN ? proposal : undefined
}

function gainOf({ ofAll }: Proposal): number {
  return ofAll.after - ofAll.before
}

/** Tries each query with the words of the others: words of a single query do not help new ones. */
async function triedUnseen({ tool, failing }: Candidate, { tryWith }: ProposalBasis): Promise<Comparison | undefined> {
  const tried = failing.slice(0, MOST_UNSEEN)
  if (tried.length < 2) return undefined
  const after: Outcome[] = []
  for (const left of tried) {
    const added = lackingWords(
      tool,
      failing.filter((outcome) => outcome !== left),
    )
    const { outcomes } = await tryWith(withWords(tool, added), [left.query])
    after.push(...outcomes)
  }
  return { before: summarise(tried).ndcg10, after: summarise(after).ndcg10 }
}

/** The tool with a sentence of further words in its description, where people and models see what they are for. */
function withWords(tool: IndexedTool, words: readonly string[]): IndexedTool {
  if (words.length === 0) return tool
  const description = (tool.description ?? '').trim()
  const end = description === '' || /[.!?。]$/.test(description) ? description : `${description}.`
  return { ...tool, description: `${end} Also for: ${words.join(', ')}.`.trim() }
}
