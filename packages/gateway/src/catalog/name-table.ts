import { createHash } from 'node:crypto'
import type { CatalogServer } from './catalog.ts'

/** The name length that most clients and model APIs accept. */
const LONGEST_AT_CLIENTS = 64
/** The longest prefix of clients, of Claude Code: `mcp__<server name>__`. Cursor, VS Code and Gemini add less. */
const ADDED_BY_CLIENTS = 'mcp__tooldex__'

/** The longest exposed name: fits together with the prefix of clients. */
export const LONGEST_EXPOSED_NAME = LONGEST_AT_CLIENTS - ADDED_BY_CLIENTS.length

/** Naming rules for tools and prompts. Reuse the object: tables are cached by it. */
export interface NamingRules {
  /** Between server and name: `__` in the dialects router and metamcp, `___` in mcproxy. */
  readonly separator: '__' | '___'
  /** Omit the server from names that are unique. */
  readonly dropPrefix: boolean
  /** Names of the gateway's own tools, which no tool of a server may have. */
  readonly reserved: ReadonlySet<string>
  /** Use the servers' names unchanged: for a transparent endpoint. */
  readonly verbatim?: boolean
}

/** A tool or prompt of a server. */
export interface Nameable {
  /** Unique in the table, and stable. */
  readonly key: string
  readonly serverName: string
  /** The name that the server uses. */
  readonly name: string
}

/** A one-to-one table of names and items. */
export class NameTable<T extends Nameable> {
  readonly #byName = new Map<string, T>()
  readonly #nameByKey = new Map<string, string>()

  constructor(names: Iterable<readonly [name: string, item: T]>) {
    for (const [name, item] of names) {
      this.#byName.set(name, item)
      this.#nameByKey.set(item.key, name)
    }
  }

  /** The exposed name; `undefined` for an item that is not in the table. */
  nameOf(item: Pick<T, 'key'>): string | undefined {
    return this.#nameByKey.get(item.key)
  }

  /** The item with an exposed name. */
  get(name: string): T | undefined {
    return this.#byName.get(name)
  }

  get size(): number {
    return this.#byName.size
  }
}

/**
 * Names all items, independent of their order. Each item has candidates from short to unique (bare, with its server, with a
 * hash of its key) and takes the first that no other item wants. If two items want the same name, neither gets it, so that
 * an old name never refers to another item. Names that were given to items come first: no other item gets one of them.
 */
export function nameTable<T extends Nameable>(
  items: readonly T[],
  rules: NamingRules,
  given: ReadonlyMap<string, string> = NONE_GIVEN,
): NameTable<T> {
  const named = rules.verbatim || given.size === 0 ? NONE_GIVEN : usableNames(items, rules, given)
  const reserved = named.size === 0 ? rules.reserved : new Set([...rules.reserved, ...named.values()])
  const claims = new Map<string, Claim<T>[]>()
  const unnamed = named.size === 0 ? items : items.filter(({ key }) => !named.has(key))
  const all = unnamed.map((item) => firstClaim(item, rules))
  const open = [...all]
  for (let claim = open.pop(); claim !== undefined; claim = open.pop()) {
    const rivals = claims.get(claim.name) ?? []
    if (rivals.push(claim) === 1) claims.set(claim.name, rivals)
    if (rivals.length === 1 && !reserved.has(claim.name)) continue
    // The second claim moves both; a third one finds that both have moved already.
    for (const rival of rivals.length === 2 ? rivals : [claim]) if (moveOn(rival, claim.name)) open.push(rival)
  }
  const ofGiven = items.flatMap((item) => {
    const name = named.get(item.key)
    return name === undefined ? [] : [[name, item] as const]
  })
  return new NameTable([...all.map(({ name, item }) => [name, item] as const), ...ofGiven])
}

const NONE_GIVEN: ReadonlyMap<string, string> = new Map()

/** The given names by key, without reserved ones and those that two items have. */
function usableNames(
  items: readonly Nameable[],
  { reserved }: NamingRules,
  given: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const owners = new Map<string, string[]>()
  for (const { key } of items) {
    const name = given.get(key)
    if (name !== undefined && !reserved.has(name)) owners.set(name, [...(owners.get(name) ?? []), key])
  }
  return new Map([...owners].flatMap(([name, keys]) => (keys.length === 1 ? [[keys[0] ?? '', name]] : [])))
}

/** Replaces characters that clients may reject by underscores. */
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

/** Hex digits of the hash in the last candidates: 128 bits do not collide. */
const HASH_LENGTHS = [8, 16, 32] as const
const BARE = 0
const PREFIXED = 1
const LAST_LEVEL = PREFIXED + HASH_LENGTHS.length

/** Moves a claim to its next candidate. Returns false if it already left the name or has no other candidate. */
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
  const [server, name] = [plainName(item.serverName), plainName(item.name)]
  const candidate = (level: number): string => {
    if (level === BARE && rules.verbatim) return item.name
    const prefix = level === BARE && rules.dropPrefix ? '' : `${server}${rules.separator}`
    const isShort = prefix.length + name.length <= LONGEST_EXPOSED_NAME
    if (level <= PREFIXED && isShort) return prefix + name
    const digits = HASH_LENGTHS[Math.max(0, level - PREFIXED - 1)] ?? HASH_LENGTHS[2]
    const hash = createHash('sha256').update(item.key).digest('hex').slice(0, digits)
    return `${shortened(prefix, name, rules.separator, LONGEST_EXPOSED_NAME - digits - 1)}_${hash}`
  }
  return { item, candidate, level: BARE, name: candidate(BARE) }
}

/** Enough of a server's name to recognise it. */
const LEAST_OF_SERVER = 12

/** The beginning of the server's name and the end of the tool's, where names of one server differ. */
function shortened(prefix: string, name: string, separator: string, room: number): string {
  if (prefix.length + name.length <= room) return prefix + name
  const server = prefix.slice(0, prefix.length - separator.length)
  const roomForServer = Math.max(LEAST_OF_SERVER, room - separator.length - name.length)
  const start = prefix === '' ? '' : `${server.slice(0, roomForServer)}${separator}`
  return start + endOf(name, room - start.length)
}

/** Where a word of a name begins: after a separator, and at a capital letter after a small one. */
const WORD_START = /(?<=[_.-])[^_.-]|(?<=[a-z0-9])[A-Z]/g

/** The end of a name, from the beginning of a word if one begins soon. */
function endOf(name: string, room: number): string {
  if (name.length <= room) return name
  const end = name.slice(-room)
  // The character before tells whether a word begins with the first one.
  const first =
    name
      .slice(-room - 1)
      .matchAll(WORD_START)
      .next().value?.index ?? 0
  return first > 0 && first - 1 <= room / 3 ? end.slice(first - 1) : end
}

/** A prompt and its server. */
export interface CatalogPrompt {
  /** `serverId:promptName`. */
  readonly key: string
  readonly server: CatalogServer
  readonly serverName: string
  /** The name that the server uses. */
  readonly name: string
  readonly definition: Readonly<Record<string, unknown>>
}

/** The prompts that a caller may use, with their exposed names. */
interface PromptNames {
  readonly list: readonly CatalogPrompt[]
  readonly names: NameTable<CatalogPrompt>
}

/** Names prompts like tools. Prompts without a name are left out; of two prompts with the same name the first counts. */
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
