import { type IndexedTool, type SearchAnswer, ToolScope } from '@tooldex/search'
import { allowedByRule, type ToolRule, traitsOf } from '@tooldex/search/engine'
import { afterEach, beforeEach } from 'vitest'
import type { ScriptedEngine } from '../../../../../search/src/engine/scripted-engine.case.ts'
import { Embedders } from '../embedders.ts'
import { IndexProviders } from '../index-providers.ts'
import { inIdOrder, serverOfSearched } from '../indexed-tools.ts'
import { searchStrategies } from '../search-strategies.ts'
import { EngineIndex, type EngineIndexParts } from './engine-index.ts'

const embedders = new Embedders({ onProblem: () => {} })
const VERBS = ['create', 'delete', 'list', 'send', 'translate', 'archive', 'paint']
const NOUNS = [
  'invoice',
  'branch',
  'mail',
  'folder',
  'ticket',
  'picture',
  'contract',
  'calendar',
  'bridge',
  'song',
  'map',
]
/** More than a narrow scope has here, and more than are ranked. */
export const TOOLS = Array.from({ length: 340 }, (_, nth): IndexedTool => {
  const [verb, noun, server] = [VERBS[nth % 7], NOUNS[nth % 11], `s${nth % 13}`]
  return {
    id: `${server}:${verb}_${noun}_${nth}`,
    name: `${verb}_${noun}_${nth}`,
    namespace: `server ${nth % 13}`,
    description: `Will ${verb} one ${noun}.`,
    annotations: { readOnlyHint: nth % 3 === 0 },
  }
})

export const NARROW: ToolRule = { tenant: 't', servers: ['s1', 's2'], except: [] }
export const WIDE: ToolRule = { tenant: 't', servers: 'all', except: [TOOLS[18]?.id ?? ''] }
export const ids = ({ hits }: SearchAnswer): string[] => hits.map(({ id }) => id)

/** A scope with the rule that it is made of. */
export class RuledScope extends ToolScope {
  readonly rule: ToolRule
  constructor(tools: ReadonlyMap<string, IndexedTool>, rule: ToolRule) {
    const isAllowed = allowedByRule(rule)
    super(function* () {
      for (const tool of tools.values()) {
        if (isAllowed({ id: tool.id, server: serverOfSearched(tool.id), traits: traitsOf(tool) })) yield tool.id
      }
    })
    this.rule = rule
  }
}

/** Starts indexes on an engine, and closes them after each test. */
export function useEngineIndexes() {
  /** What was warned of in this test. */
  const lines: string[] = []
  const open = new Set<EngineIndex>()
  const log = {
    debug: () => {},
    warn: (facts: object, message: string) => void lines.push(`${message} ${JSON.stringify(facts)}`),
  }
  beforeEach(() => void lines.splice(0))
  afterEach(async () => {
    await Promise.all([...open].map((index) => index.close()))
    open.clear()
  })

  function start(engine: ScriptedEngine, more: Partial<EngineIndexParts> = {}, all: readonly IndexedTool[] = TOOLS) {
    const tools = new Map(all.map((tool) => [tool.id, tool]))
    const cache = { load: async () => new Map(), save: async () => {} }
    const makers = searchStrategies({ embedders, cache })
    const source = {
      tools: () => inIdOrder([...tools.values()]),
      get size() {
        return tools.size
      },
    }
    const memory = new IndexProviders(source, { makers })
    const opened: string[] = []
    const index = new EngineIndex({
      ...{ tools, memory, log, embedders: () => embedders.open(), mostNarrow: 60 },
      open: async ({ role }) => {
        opened.push(role)
        return engine
      },
      ...more,
    })
    open.add(index)
    const search = (query: string, rule?: ToolRule, strategy = 'hybrid'): Promise<SearchAnswer> => {
      const within = rule && new RuledScope(tools, rule)
      return index.search(strategy, { queries: [query], maxResults: 5, ...(within && { within }) }, within)
    }
    return { index, tools, search, memory, opened }
  }
  /** For an index that never ends opening, and so never closes. */
  const leave = (index: EngineIndex): void => void open.delete(index)
  return { lines, start, leave }
}
