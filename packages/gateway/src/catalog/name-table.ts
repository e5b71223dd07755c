import { createHash } from 'node:crypto'
import type { CatalogServer } from './catalog.ts'

/** What most clients and model APIs accept as the name of a tool. */
const LONGEST_AT_CLIENTS = 64
/** What clients put before a name: Claude Code the longest, `mcp__<our name there>__`. Cursor, VS Code, Gemini add less. */
const ADDED_BY_CLIENTS = 'mcp__tooldex__'

/** The longest name that we show, so that it fits with what clients add. */
export const LONGEST_EXPOSED_NAME = LONGEST_AT_CLIENTS - ADDED_BY_CLIENTS.length

/** How things of servers are named towards clients. Make one and keep it: tables are remembered by it. */
export interface NamingRules {
  /** Between server and name: `__` in the dialects router and metamcp, `___` in mcproxy. */
  readonly separator: '__' | '___'
  /** Leave the server out of names that nobody else wants. */
  readonly dropPrefix: boolean
  /** Names of our own, which nothing of a server may have. */
  readonly reserved: ReadonlySet<string>
  /** The servers' own names, as they are: for an endpoint that shows one server and nothing of ours. */
  readonly verbatim?: boolean
}

/** Something of a server that clients call by name. */
export interface Nameable {
  /** Different for everything in the table and the same for ever. */
  readonly key: string
  readonly serverName: string
  /** The server's own name for it. */
  readonly name: string
}

/** Names and what they stand for. A name stands for one thing, and everything has a name. */
export class NameTable<T extends Nameable> {
  readonly #byName = new Map<string, T>()
  readonly #nameByKey = new Map<string, string>()

  constructor(names: Iterable<readonly [name: string, item: T]>) {
    for (const [name, item] of names) {
      this.#byName.set(name, item)
      this.#nameByKey.set(item.key, name)
    }
  }

  /** What clients call it; `undefined` for what is not in the table. */
  nameOf(item: Pick<T, 'key'>): string | undefined {
    return this.#nameByKey.get(item.key)
  }

  /** What clients mean by a name. */
  get(name: string): T | undefined {
    return this.#byName.get(name)
  }

  get size(): number {
    return this.#byName.size
  }
}

/**
 * Names everything, whatever the order it comes in. Each has candidates from short to certain (bare, with its server,
 * with a hash of its key) and takes the first that nobody else ever wants. Of two that want the same name neither gets
 * it: an old name must not begin to mean something else.
 */
export function nameTable<T extends Nameable>(items: readonly T[], rules: NamingRules): NameTable<T> {
  const claims = new Map<string, Claim<T>[]>()
  const all = items.map((item) => firstClaim(item, rules))
  const open = [...all]
  for (let claim = open.pop(); claim !== undefined; claim = open.pop()) {
    const rivals = claims.get(claim.name) ?? []
    if (rivals.push(claim) === 1) claims.set(claim.name, rivals)
    if (rivals.length === 1 && !rules.reserved.has(claim.name)) continue
    // The first of two believed that it was alone; whoever comes third finds both gone.
    for (const rival of rivals.length === 2 ? rivals : [claim]) if (moveOn(rival, claim.name)) open.push(rival)
  }
  return new NameTable(all.map(({ name, item }) => [name, item] as const))
}

/** Signs that a client may not take, as underscores. */
export function plainName(text: string): string {
  return text.replace(/[^A-Za-z0-9_.-]/gu, '_')
}

interface Claim<T> {
  readonly item: T
  readonly candidate: (level: number) => string
  level: number
  /** The candidate of this level. */
  name: string
}

/** Hex digits of the hash in the last candidates: 128 bits do not meet by chance or intent. */
const HASH_LENGTHS = [8, 16, 32] as const
const BARE = 0
const PREFIXED = 1
const LAST_LEVEL = PREFIXED + HASH_LENGTHS.length

/** Moves a claim to its next candidate. A claim that already left the name, or has no other, stays where it is. */
function moveOn(claim: Claim<unknown>, contested: string): boolean {
  if (claim.name !== contested) return false
  while (claim.name === contested) {
    if (claim.level === LAST_LEVEL) return false
    claim.level++
    claim.name = claim.candidate(claim.level)
  }
  return true
}

function firstClaim<T extends Nameable>(item: T, rules: NamingRules): Claim<T> {
  const candidate = (level: number): string => {
    if (level === BARE && rules.verbatim) return item.name
    if (level === BARE && rules.dropPrefix) return fitted(plainName(item.name), item.key)
    const prefixed = `${plainName(item.serverName)}${rules.separator}${plainName(item.name)}`
    if (level <= PREFIXED) return fitted(prefixed, item.key)
    return hashed(prefixed, item.key, HASH_LENGTHS[level - PREFIXED - 1] ?? HASH_LENGTHS[2])
  }
  return { item, candidate, level: BARE, name: candidate(BARE) }
}

function fitted(name: string, key: string): string {
  return name.length <= LONGEST_EXPOSED_NAME ? name : hashed(name, key, HASH_LENGTHS[0])
}

/** The readable beginning, then part of a hash that tells it from others with the same beginning. */
function hashed(name: string, key: string, digits: number): string {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, digits)
  return `${name.slice(0, LONGEST_EXPOSED_NAME - digits - 1)}_${hash}`
}

/** A prompt and whose it is. */
export interface CatalogPrompt {
  /** `serverId:promptName`. */
  readonly key: string
  readonly server: CatalogServer
  readonly serverName: string
  /** The server's own name for it. */
  readonly name: string
  readonly definition: Readonly<Record<string, unknown>>
}

/** Prompts of the servers that a caller may use, with the names that clients see. */
interface PromptNames {
  readonly list: readonly CatalogPrompt[]
  readonly names: NameTable<CatalogPrompt>
}

/** Names prompts as tools are named. What has no name is left out; of two with the same name the server means the first. */
export function promptNames(servers: readonly CatalogServer[], rules: NamingRules): PromptNames {
  const byKey = new Map<string, CatalogPrompt>()
  for (const server of servers) {
    for (const definition of server.prompts) {
      const { name } = definition
      if (typeof name !== 'string' || name === '') continue
      const key = `${server.id}:${name}`
      if (!byKey.has(key)) byKey.set(key, { key, server, serverName: server.name, name, definition })
    }
  }
  const list = [...byKey.values()]
  return { list, names: nameTable(list, rules) }
}
