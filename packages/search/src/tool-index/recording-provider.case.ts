import type {
  SearchAnswer,
  SearchHit,
  SearchProvider,
  SearchRequest,
  ToolChange,
} from '../providers/search-provider.ts'
import type { IndexedTool } from '../tool/tool.ts'
import type { ToolIndexChange } from './tool-index.ts'
import type { OpenIndex } from './tool-index-contract.case.ts'

/** The smallest provider that can rank, for tests of the index: it records changes and requests. */
export class RecordingProvider implements SearchProvider {
  readonly strategy: string = 'recording'
  readonly deterministic: boolean = true
  readonly changes: ToolChange[] = []
  readonly requests: SearchRequest[] = []
  readonly #tools = new Map<string, IndexedTool>()

  apply(change: ToolChange): void {
    this.changes.push(change)
    for (const tool of [...change.added, ...change.changed]) this.#tools.set(tool.id, tool)
    for (const tool of change.removed) this.#tools.delete(tool.id)
  }

  async search(request: SearchRequest): Promise<SearchAnswer> {
    this.requests.push(request)
    const hits = [...this.#tools.values()].flatMap((tool) => hitOf(tool, request))
    hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    return { hits: hits.slice(0, request.maxResults), answeredBy: this.strategy }
  }

  /** The ids that this provider knows now. */
  ids(): string[] {
    return [...this.#tools.keys()].sort()
  }
}

function hitOf(tool: IndexedTool, { queries, within, explain }: SearchRequest): SearchHit[] {
  const isInside = typeof within === 'function' ? within(tool) : (within?.has(tool.id) ?? true)
  const text = `${tool.id} ${tool.description ?? ''} ${(tool.tags ?? []).join(' ')}`
  const score = queries.filter((query) => text.includes(query)).length
  if (!isInside || score === 0) return []
  const explanation = { matches: [], text: `matched ${score}` }
  return [{ id: tool.id, score, relevance: score / queries.length, ...(explain === true && { explanation }) }]
}

/** An index with a recording provider, and the events that it sends. */
export async function openRecorded(open: OpenIndex) {
  const provider = new RecordingProvider()
  const index = await open({ provider })
  const events: ToolIndexChange[] = []
  index.onChange((event) => events.push(event))
  return { provider, index, events }
}
