import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { CatalogTool, ToolRule } from '@tooldex/contract/search-api'
import type { IndexedTool, ToolScope } from '@tooldex/search'
import { LRUCache } from 'lru-cache'
import { inSlices, type Steps } from '../../in-slices.ts'
import { sentKey, sentTool } from './sent-tools.ts'

/** A longer rule costs more with every search than an upload once. In characters of JSON. */
const LONGEST_RULE = 4_000
const MOST_PROJECTS = 200
const MOST_SCOPES = 1_000

const pack = promisify(gzip)

/** A scope as a rule over an uploaded catalog. */
export interface CatalogReference {
  readonly hash: string
  readonly rule: ToolRule
  /** The tool's id in the index, by the key that is sent; undefined for tools outside the scope. */
  readonly idOf: (toolKey: string) => string | undefined
  /** The lines to upload. */
  readonly packed: () => Promise<Uint8Array<ArrayBuffer>>
}

/**
 * The catalog of each project: the tools of all scopes that were searched for it, and no others. It grows to the widest scope,
 * and all narrower ones are rules over it.
 */
export class ProjectCatalogs {
  readonly #toolsOf: (scope: ToolScope) => readonly IndexedTool[]
  readonly #catalogs = new LRUCache<string, Promise<Catalog>>({ max: MOST_PROJECTS })
  readonly #references = new LRUCache<string, Promise<CatalogReference>>({ max: MOST_SCOPES })

  constructor(toolsOf: (scope: ToolScope) => readonly IndexedTool[]) {
    this.#toolsOf = toolsOf
  }

  /** Call it when the tools have changed. */
  clear(): void {
    this.#catalogs.clear()
    this.#references.clear()
  }

  reference(projectId: string, scope: ToolScope): Promise<CatalogReference> {
    const key = `${scope.fingerprint} ${projectId}`
    const known = this.#references.get(key)
    if (known !== undefined) return known
    const made = this.#make(projectId, scope)
    this.#references.set(key, made)
    return made
  }

  async #make(projectId: string, scope: ToolScope): Promise<CatalogReference> {
    const tools = this.#toolsOf(scope)
    const before = this.#catalogs.get(projectId)
    const grown = before === undefined ? catalogOf(tools) : before.then((catalog) => catalog.with(tools))
    this.#catalogs.set(projectId, grown)
    const catalog = await grown
    const rule = ruleOf(catalog, scope)
    return rule === undefined ? (await catalogOf(tools)).reference(scope, ALL) : catalog.reference(scope, rule)
  }
}

const ALL: ToolRule = { servers: 'all', except: [] }

/** Tools that are uploaded together. */
class Catalog {
  readonly hash: string
  readonly tools: ReadonlyMap<string, IndexedTool>

  constructor(hash: string, tools: ReadonlyMap<string, IndexedTool>) {
    this.hash = hash
    this.tools = tools
  }

  /** This one if it has all of these tools, else one that has them, too. */
  async with(tools: readonly IndexedTool[]): Promise<Catalog> {
    const isNew = (tool: IndexedTool): boolean => this.tools.get(sentKey(tool) ?? '')?.id !== tool.id
    const added = tools.filter((tool) => sentKey(tool) !== undefined && isNew(tool))
    if (added.length === 0) return this
    // A tool that a project describes in its own words has another id; then the newer one counts.
    return catalogOf([...added, ...this.tools.values()])
  }

  reference(scope: ToolScope, rule: ToolRule): CatalogReference {
    const { hash, tools } = this
    return {
      hash,
      rule,
      idOf: (key) => {
        const id = tools.get(key)?.id
        return id !== undefined && scope.has(id) ? id : undefined
      },
      packed: async () => pack(Buffer.from((await inSlices(linesOf(tools))).join(''))),
    }
  }
}

async function catalogOf(given: readonly IndexedTool[]): Promise<Catalog> {
  const tools = new Map<string, IndexedTool>()
  for (const tool of given) {
    const key = sentKey(tool)
    if (key !== undefined && !tools.has(key)) tools.set(key, tool)
  }
  const sorted = new Map([...tools].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  const hash = createHash('sha256')
  for (const lines of await inSlices(linesOf(sorted))) hash.update(lines)
  return new Catalog(hash.digest('hex'), sorted)
}

const LINES_PER_STEP = 50

/** The lines, some at a time: a large catalog must not delay calls. */
function* linesOf(tools: ReadonlyMap<string, IndexedTool>): Steps<string[]> {
  const parts: string[] = []
  let part = ''
  let count = 0
  for (const [key, tool] of tools) {
    part += `${JSON.stringify(catalogTool(key, tool))}\n`
    if (++count % LINES_PER_STEP !== 0) continue
    parts.push(part)
    part = ''
    yield
  }
  return [...parts, part]
}

function catalogTool(key: string, tool: IndexedTool): CatalogTool {
  const traits = {
    ...(isReadOnly(tool) && { readOnly: true as const }),
    ...(tool.annotations?.['destructiveHint'] === false && { notDestructive: true as const }),
  }
  return { ...sentTool(key, tool), ...(Object.keys(traits).length > 0 && { traits }) }
}

/** The same condition as for read-only tokens and searches. */
function isReadOnly({ annotations }: IndexedTool): boolean {
  return annotations?.['readOnlyHint'] === true
}

/** The rule that selects the scope from the catalog, or undefined if it would be long. */
function ruleOf({ tools }: Catalog, scope: ToolScope): ToolRule | undefined {
  const servers = new Map<string, { isSearched: boolean; readonly outside: [string, IndexedTool][] }>()
  let isAllReadOnly = true
  for (const [key, tool] of tools) {
    const { serverName } = sentTool(key, tool)
    const server = servers.get(serverName) ?? { isSearched: false, outside: [] }
    servers.set(serverName, server)
    if (scope.has(tool.id)) {
      server.isSearched = true
      isAllReadOnly &&= isReadOnly(tool)
    } else server.outside.push([key, tool])
  }
  const searched = [...servers].filter(([, { isSearched }]) => isSearched)
  const outside = searched.flatMap(([, server]) => server.outside)
  const named = searched.length === servers.size ? 'all' : searched.map(([name]) => name)
  const byKeys: ToolRule = { servers: named, except: outside.map(([key]) => key) }
  if (isShort(byKeys)) return byKeys
  if (!isAllReadOnly) return undefined
  const readable = outside.filter(([, tool]) => isReadOnly(tool))
  const byTrait: ToolRule = { servers: named, except: readable.map(([key]) => key), traits: { readOnly: true } }
  return isShort(byTrait) ? byTrait : undefined
}

const isShort = (rule: ToolRule): boolean => JSON.stringify(rule).length <= LONGEST_RULE
