import type { CatalogServer, CatalogTool } from '../catalog/catalog.ts'
import { plainName } from '../catalog/name-table.ts'
import { GatewayError } from '../errors.ts'
import type { EligibleTools } from './eligible-tools.ts'
import type { ExposedNames } from './exposed-names.ts'

/** What stands between server and tool in any dialect, and in keys. */
const SEPARATORS = [':', '___', '__'] as const
/** No name of a tool is longer, however it is written. */
const LONGEST_READ = 1_000
const LONGEST_SHOWN = 200

/**
 * The one tool that a client means: by the name it was shown, by key, by `serverName:toolName` or by an exposed name of
 * another dialect, the server in any case. Names shown and keys mean what they say, whatever else reads alike.
 * @throws GatewayError TOOL_AMBIGUOUS with the candidates, TOOL_NOT_FOUND with near names; both know eligible tools only
 */
export function resolveTool(text: string, eligible: EligibleTools, names: ExposedNames): CatalogTool {
  const tool = findTool(text, eligible, names)
  if (tool === undefined) throw toolNotFound(text, eligible, names)
  return tool
}

/**
 * As `resolveTool`, with `undefined` for a tool that is not eligible.
 * @throws GatewayError TOOL_AMBIGUOUS
 */
export function findTool(text: string, eligible: EligibleTools, names: ExposedNames): CatalogTool | undefined {
  const exact = names.get(text) ?? (eligible.byKey as ReadonlyMap<string, CatalogTool>).get(text)
  if (exact !== undefined) return exact
  const candidates = toolsWrittenAs(text, eligible.servers).filter(({ key }) => eligible.keys.has(key))
  if (candidates.length > 1) throw toolAmbiguous(text, candidates)
  return candidates[0]
}

/** The answer about a tool that the caller may not use and about one that does not exist: they look alike. */
export function toolNotFound(text: string, eligible: EligibleTools, names: ExposedNames): GatewayError {
  const near = nearTools(text, eligible.list).map((tool) => names.nameOf(tool) ?? tool.key)
  return new GatewayError('TOOL_NOT_FOUND', {
    tool: shown(text),
    reason: `no tool here is called ${quoted(text)}`,
    near,
    remedy: near.length > 0 ? `Near names: ${near.join(', ')}` : 'List or search the tools to see what there is',
  })
}

/** More than one tool could be meant; the keys say which there are. */
export function toolAmbiguous(text: string, candidates: readonly CatalogTool[]): GatewayError {
  const keys = candidates.map(({ key }) => key).toSorted()
  return new GatewayError('TOOL_AMBIGUOUS', {
    tool: shown(text),
    reason: `${quoted(text)} could be ${keys.join(' or ')}`,
    candidates: keys,
    remedy: 'Use one of these keys',
  })
}

/** Tools that a text could stand for, written as server, separator and tool in any way. */
export function toolsWrittenAs(text: string, servers: readonly CatalogServer[]): readonly CatalogTool[] {
  const found = new Set<CatalogTool>()
  for (const server of servers) {
    for (const written of toolPartsOf(text, server)) {
      const exact = server.tools.get(written)
      if (exact !== undefined) found.add(exact)
      else for (const tool of server.tools.values()) if (plainName(tool.name) === written) found.add(tool)
    }
  }
  return [...found]
}

/** What a text says after the server's name or id; nothing if it does not begin with it. */
export function toolPartsOf(text: string, server: CatalogServer): readonly string[] {
  if (text.length > LONGEST_READ) return []
  const parts = new Set<string>()
  if (text.startsWith(`${server.id}:`)) parts.add(text.slice(server.id.length + 1))
  for (const name of new Set([server.name, plainName(server.name)])) {
    if (text.slice(0, name.length).toLowerCase() !== name.toLowerCase()) continue
    for (const separator of SEPARATORS) {
      if (text.startsWith(separator, name.length)) parts.add(text.slice(name.length + separator.length))
    }
  }
  return [...parts]
}

function shown(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}

/** In quotes, with signs escaped that would not be seen or would break a line. */
function quoted(text: string): string {
  return JSON.stringify(shown(text))
}

const MOST_NAMES = 3
/** Share of letter pairs that two names must have in common to be near. */
const NEAR_ENOUGH = 0.45
/** Beyond this much of what was written nobody mistypes. */
const LONGEST_COMPARED = 200

interface Near {
  readonly tool: CatalogTool
  readonly likeness: number
  readonly wholeLikeness: number
}

/**
 * The tools whose names are most like a text, nearest first, ties by server and key. Cheap enough to be asked of ten
 * thousand tools while others wait.
 */
function nearTools(text: string, tools: readonly CatalogTool[]): readonly CatalogTool[] {
  const whole = new LetterPairs(text)
  const name = new LetterPairs(
    text
      .slice(0, LONGEST_COMPARED)
      .split(/:|_{2,}/u)
      .at(-1) ?? '',
  )
  const near: Near[] = []
  for (const tool of tools) {
    const likeness = Math.max(name.likenessTo(tool.name), whole.likenessTo(tool.name))
    if (likeness < Math.max(NEAR_ENOUGH, near[MOST_NAMES - 1]?.likeness ?? 0)) continue
    near.push({ tool, likeness, wholeLikeness: whole.likenessTo(`${tool.serverName}__${tool.name}`) })
    near.sort(byLikeness).splice(MOST_NAMES)
  }
  return near.map(({ tool }) => tool)
}

function byLikeness(a: Near, b: Near): number {
  return b.likeness - a.likeness || b.wholeLikeness - a.wholeLikeness || (a.tool.key < b.tool.key ? -1 : 1)
}

/** The pairs of neighbouring letters of a text, its ends included so that the shortest has some, too. */
class LetterPairs {
  readonly #has = new Uint8Array(1 << 16)
  readonly #count: number

  constructor(text: string) {
    this.#count = eachPair(text, (pair) => {
      this.#has[pair] = 1
    })
  }

  /** Dice's measure, from 0 to 1: common pairs over all pairs. */
  likenessTo(text: string): number {
    let common = 0
    const count = eachPair(text, (pair) => {
      common += this.#has[pair] ?? 0
    })
    return Math.min(1, (2 * common) / (this.#count + count))
  }
}

/** Letters count by their last eight bits: rare letters that meet so do not matter to a suggestion. */
function eachPair(text: string, visit: (pair: number) => void): number {
  const read = text.slice(0, LONGEST_COMPARED).toLowerCase()
  let before = 0
  for (let at = 0; at < read.length; at++) {
    const letter = read.charCodeAt(at) & 0xff
    visit((before << 8) | letter)
    before = letter
  }
  visit(before << 8)
  return read.length + 1
}
