import type { CatalogServer, CatalogTool } from '../catalog/catalog.ts'
import { plainName } from '../catalog/name-table.ts'
import { GatewayError } from '../errors.ts'
import type { EligibleTools } from './eligible-tools.ts'
import type { ExposedNames } from './exposed-names.ts'

/** Separators between server and tool in all dialects, and in keys. */
const SEPARATORS = [':', '___', '__'] as const
/** Longer texts are not tool names. */
const LONGEST_READ = 1_000
const LONGEST_SHOWN = 200

/**
 * The tool that a client named: by exposed name, by key, by `serverName:toolName` or by an exposed name of another dialect,
 * the server in upper or lower case. Exact matches of exposed names and keys come first.
 * @throws GatewayError TOOL_AMBIGUOUS with the candidates, TOOL_NOT_FOUND with similar names; both name eligible tools only
 */
export function resolveTool(text: string, eligible: EligibleTools, names: ExposedNames): CatalogTool {
  const tool = findTool(text, eligible, names)
  if (tool === undefined) throw toolNotFound(text, eligible, names)
  return tool
}

/**
 * Like `resolveTool`, but returns `undefined` for a tool that is not eligible.
 * @throws GatewayError TOOL_AMBIGUOUS
 */
export function findTool(text: string, eligible: EligibleTools, names: ExposedNames): CatalogTool | undefined {
  const exact = names.get(text) ?? eligible.get(text)
  if (exact !== undefined) return exact
  const candidates = toolsWrittenAs(text, eligible.servers).filter(({ key }) => eligible.has(key))
  if (candidates.length > 1) throw toolAmbiguous(text, candidates)
  const [tool] = candidates
  if (tool !== undefined && !isKeyLike(text, tool)) refuseFormerName(text, tool, eligible, names)
  return tool
}

/** `server:tool`, with the name of the server in place of its id. */
function isKeyLike(text: string, { serverName, name }: CatalogTool): boolean {
  return text.length === serverName.length + 1 + name.length && text[serverName.length] === ':'
}

/** Refuses a name that a tool had before its project gave it another one. @throws GatewayError TOOL_NOT_FOUND */
export function refuseFormerName(
  text: string,
  tool: CatalogTool,
  { project }: EligibleTools,
  names: ExposedNames,
): void {
  const name = names.nameOf(tool)
  if (name === undefined || project.tools.get(tool.key)?.name !== name) return
  throw new GatewayError('TOOL_NOT_FOUND', {
    tool: shown(text),
    reason: `${quoted(text)} is called ${quoted(name)} in project "${project.name}"`,
    near: [name],
    remedy: `Call it as ${name}`,
  })
}

/** The same error for a missing tool and for one that the caller may not use. */
export function toolNotFound(text: string, eligible: EligibleTools, names: ExposedNames): GatewayError {
  const near = nearTools(text, eligible.list).map((tool) => names.nameOf(tool) ?? tool.key)
  return new GatewayError('TOOL_NOT_FOUND', {
    tool: shown(text),
    reason: `no tool is named ${quoted(text)}`,
    near,
    remedy: near.length > 0 ? `Similar names: ${near.join(', ')}` : 'List or search the available tools',
  })
}

/** The error for a name that matches several tools. */
export function toolAmbiguous(text: string, candidates: readonly CatalogTool[]): GatewayError {
  const keys = candidates.map(({ key }) => key).toSorted()
  return new GatewayError('TOOL_AMBIGUOUS', {
    tool: shown(text),
    reason: `${quoted(text)} could be ${keys.join(' or ')}`,
    candidates: keys,
    remedy: 'Use one of these keys',
  })
}

/** The tools that a text may name, written as server, separator and tool. */
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

/** The possible tool names after the server's name or id; empty if the text does not begin with either. */
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

/** In quotes, with invisible characters and line breaks escaped. */
export function quoted(text: string): string {
  return JSON.stringify(shown(text))
}

const MOST_NAMES = 3
/** Minimum share of common letter pairs of similar names. */
const NEAR_ENOUGH = 0.45
/** Longer texts are cut before the comparison. */
const LONGEST_COMPARED = 200

interface Near {
  readonly tool: CatalogTool
  readonly similarity: number
  readonly wholeSimilarity: number
}

/**
 * The tools with the most similar names, best first, ties by server and key. Fast enough for ten thousand tools.
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
    const similarity = Math.max(name.similarityTo(tool.name), whole.similarityTo(tool.name))
    if (similarity < Math.max(NEAR_ENOUGH, near[MOST_NAMES - 1]?.similarity ?? 0)) continue
    near.push({ tool, similarity, wholeSimilarity: whole.similarityTo(`${tool.serverName}__${tool.name}`) })
    near.sort(bySimilarity).splice(MOST_NAMES)
  }
  return near.map(({ tool }) => tool)
}

function bySimilarity(a: Near, b: Near): number {
  return b.similarity - a.similarity || b.wholeSimilarity - a.wholeSimilarity || (a.tool.key < b.tool.key ? -1 : 1)
}

/** The pairs of adjacent letters of a text, including its ends, so that even a single letter has some. */
class LetterPairs {
  readonly #has = new Uint8Array(1 << 16)
  readonly #count: number

  constructor(text: string) {
    this.#count = eachPair(text, (pair) => {
      this.#has[pair] = 1
    })
  }

  /** The Dice coefficient, 0 to 1. */
  similarityTo(text: string): number {
    let common = 0
    const count = eachPair(text, (pair) => {
      common += this.#has[pair] ?? 0
    })
    return Math.min(1, (2 * common) / (this.#count + count))
  }
}

/** Uses only the last eight bits of each letter: rare collisions do not matter for a suggestion. */
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
