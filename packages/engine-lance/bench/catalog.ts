import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IndexedTool } from '@tooldex/search'
import { readDataSet } from '../../search/eval/data-set.ts'
import { generateTools } from '../../search/bench/generate-tools.ts'
import { makeQueries } from '../../search/bench/queries.ts'
import { between, pick, type Random, seededRandom } from '../../search/bench/random.ts'
import type { ToolRule } from '@tooldex/search/engine'

/** A query, and which tools answer it; absent where that is not known. */
export interface JudgedQuery {
  readonly set: string
  readonly query: string
  readonly relevant?: readonly string[]
}

/** Tools and questions about them. */
export interface BenchCatalog {
  readonly tools: readonly IndexedTool[]
  readonly queries: readonly JudgedQuery[]
}

/** So many queries of each set. */
const QUERIES_OF_SET = 38
const GENERATED_QUERIES = 60
const REPLACED = 0.25

/**
 * The tools of folders: those with queries are judged sets, others bring tools alone. Without folders everything is
 * generated. A larger size is filled up with variants, in which a quarter of the words are others.
 */
export function loadCatalog(folders: readonly string[], size: number): BenchCatalog {
  const base = folders.length === 0 ? generated(Math.min(size, 20_000)) : ofFolders(folders)
  const tools = base.tools.slice(0, Math.max(size, 1))
  return { queries: base.queries, tools: [...tools, ...variants(base.tools, size - tools.length)] }
}

function generated(count: number): BenchCatalog {
  const made = generateTools(count)
  const tools = made.map(({ id, name, server, serverDescription, description, inputSchema }) => ({
    id,
    name,
    namespace: server,
    ...(serverDescription !== undefined && { namespaceDescription: serverDescription }),
    description,
    ...(inputSchema !== undefined && { inputSchema }),
  }))
  return {
    tools,
    queries: makeQueries(made, GENERATED_QUERIES).map(({ text, about }) => ({
      set: 'generated',
      query: text,
      relevant: [about],
    })),
  }
}

function ofFolders(folders: readonly string[]): BenchCatalog {
  const [tools, queries]: [IndexedTool[], JudgedQuery[]] = [[], []]
  for (const folder of folders) {
    if (!existsSync(join(folder, 'queries.jsonl'))) {
      tools.push(...toolsIn(folder))
      continue
    }
    const { name, tools: own, queries: asked } = readDataSet(folder)
    const idOf = (id: string): string => `${name}/${id}`
    tools.unshift(...own.map((tool) => ({ ...tool, id: idOf(tool.id) })))
    const step = Math.max(1, Math.floor(asked.length / QUERIES_OF_SET))
    for (const [nth, { queries: texts, relevant }] of asked.entries()) {
      const [query] = texts
      if (nth % step !== 0 || nth / step >= QUERIES_OF_SET || query === undefined) continue
      queries.push({ set: name, query, relevant: Array.from(relevant, idOf) })
    }
  }
  return { tools, queries }
}

function toolsIn(folder: string): IndexedTool[] {
  const rows = readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, string> & { inputSchema?: IndexedTool['inputSchema'] })
  return rows.map(({ id, name, server, serverDescription, description, inputSchema }) => ({
    id: `catalog/${id}`,
    name: name ?? '',
    ...(server !== undefined && { namespace: server }),
    ...(serverDescription !== undefined && { namespaceDescription: serverDescription }),
    ...(description !== undefined && { description }),
    ...(inputSchema !== undefined && { inputSchema }),
  }))
}

function variants(base: readonly IndexedTool[], count: number): IndexedTool[] {
  const random = seededRandom(7)
  const words = base.flatMap(({ description = '' }, nth) => (nth % 7 === 0 ? description.split(' ') : []))
  const made: IndexedTool[] = []
  for (let nth = 0; nth < count; nth++) {
    const tool = base[nth % base.length] as IndexedTool
    const round = Math.floor(nth / base.length) + 1
    made.push({
      ...tool,
      id: `${tool.id}~${round}`,
      description: replaced(tool.description ?? '', words, random),
      ...(tool.namespace !== undefined && { namespace: `${tool.namespace}-${round}` }),
    })
  }
  return made
}

function replaced(text: string, words: readonly string[], random: Random): string {
  return text
    .split(' ')
    .map((word) => (random() < REPLACED ? pick(random, words) : word))
    .join(' ')
}

/** Tenants that may use some servers but for some of their tools. */
export function makeTenants(tools: readonly IndexedTool[], count: number): readonly ToolRule[] {
  const random = seededRandom(11)
  const servers = [...new Set(tools.flatMap(({ namespace }) => namespace ?? []))]
  return Array.from({ length: count }, (_, nth) => {
    const some = Math.min(pick(random, [20, 200, 1_000]), servers.length)
    const chosen = new Set(Array.from({ length: some }, () => pick(random, servers)))
    const except = Array.from({ length: between(random, 0, 50) }, () => pick(random, tools).id)
    return { tenant: `tenant ${nth}`, servers: [...chosen], except }
  })
}
