import { cleanText } from '@tooldex/http-kit/clean-text'
import { shortDescription } from '@tooldex/search'
import type { EligibleTools } from '../access/eligible-tools.ts'
import type { CatalogServer } from '../catalog/catalog.ts'
import type { FoundTool, SearchDetail } from '../search/search-outcome.ts'

/** About 300 tokens together with the sentence before it. */
const LONGEST_LINE = 900
const LONGEST_NAME = 40
/** Characters for the purpose of each server, most first; 0 leaves the names alone. */
const PURPOSES = [100, 60, 30, 0] as const
/** Where no search result will ever carry the instructions of a server, there is room for more of them. */
const LONG_PURPOSES = [500, 250, ...PURPOSES] as const
const START = 'Connected servers: '

/** By caller; every answer of 2026-07-28 asks for it. */
const lines = new WeakMap<EligibleTools, Map<boolean, string | undefined>>()

/**
 * The servers of a caller and what each is for, on one line, in the order of the project. Servers without a tool that the
 * caller may use are left out.
 * @param isOnlyChance whether the client gets no instructions of servers later
 */
export function serversLine(eligible: EligibleTools, isOnlyChance: boolean): string | undefined {
  const known = lines.get(eligible) ?? new Map<boolean, string | undefined>()
  lines.set(eligible, known)
  if (!known.has(isOnlyChance)) known.set(isOnlyChance, writtenLine(eligible, isOnlyChance))
  return known.get(isOnlyChance)
}

function writtenLine(eligible: EligibleTools, isOnlyChance: boolean): string | undefined {
  const servers = eligible.servers.filter(
    ({ id, awaitedSince }) => awaitedSince !== undefined || hasTools(id, eligible),
  )
  if (servers.length === 0) return undefined
  for (const size of isOnlyChance ? LONG_PURPOSES : PURPOSES) {
    const line = lineWithin(servers, eligible, size)
    if (line !== undefined) return line
  }
  return `${START}${namesWithin(servers, LONGEST_LINE - START.length)}.`
}

function hasTools(serverId: string, eligible: EligibleTools): boolean {
  for (const _ of eligible.of(serverId)) return true
  return false
}

/** Undefined if it becomes too long: of hundreds of servers only the first ones are looked at. */
function lineWithin(servers: readonly CatalogServer[], eligible: EligibleTools, size: number): string | undefined {
  const separator = size === 0 ? ', ' : '; '
  let line = START
  for (const [at, server] of servers.entries()) {
    const toolNames = Array.from(eligible.of(server.id), ({ name }) => name)
    line += `${at === 0 ? '' : separator}${serverText(server, toolNames, size)}`
    if (line.length >= LONGEST_LINE) return undefined
  }
  return `${line}.`
}

/** What a server is for, as its administrator or the server itself says, or else some of its tools. */
function serverText(server: CatalogServer, toolNames: readonly string[], size: number): string {
  const name = cleanText(server.name, LONGEST_NAME)
  if (size === 0) return name
  const stated = server.description ?? statedPurpose(server.instructions, size)
  const purpose = cleanText(stated ?? toolNames.join(', '), size).replace(/[.;。]+$/u, '')
  return purpose === '' ? name : `${name} (${purpose})`
}

/** The beginning of a server's instructions, or all of them if they are short. */
function statedPurpose(instructions: string | undefined, size: number): string | undefined {
  if (instructions === undefined) return undefined
  const clean = cleanText(instructions, size)
  const first = clean.endsWith('…') && size <= PURPOSES[0] ? shortDescription(instructions) : clean
  return first === '' ? undefined : first
}

function namesWithin(servers: readonly CatalogServer[], room: number): string {
  const names: string[] = []
  let left = room - ' and 99999 more.'.length
  for (const { name } of servers) {
    const shown = cleanText(name, LONGEST_NAME)
    left -= shown.length + 2
    if (left < 0) return `${names.join(', ')} and ${servers.length - names.length} more`
    names.push(shown)
  }
  return names.join(', ')
}

/** Instructions of servers that an answer carries. */
export interface GivenInstructions {
  /** By the server's name. */
  readonly texts: Readonly<Record<string, string>>
  readonly serverIds: readonly string[]
}

const LONGEST_INSTRUCTIONS = 1_000
/** Hits whose servers count, and servers in an answer by its detail. */
const MOST_HITS = 3
const MOST_SERVERS = { minimal: 1, summary: 1, full: 3 } as const

/**
 * The instructions of the servers of the best hits, cut and cleaned: in a session those that it has not had, one server at a
 * time. Without a session an answer must not depend on earlier ones, so that only full answers have them, and always.
 * @param told servers whose instructions the session has had; absent without a session
 */
export function instructionsWith(
  found: readonly FoundTool[],
  { eligible, detail, told }: { eligible: EligibleTools; detail: SearchDetail; told: ReadonlySet<string> | undefined },
): GivenInstructions {
  if (told === undefined && detail !== 'full') return { texts: {}, serverIds: [] }
  const ids = new Set(found.slice(0, MOST_HITS).map(({ tool }) => tool.serverId))
  const given = [...ids].filter((id) => told?.has(id) !== true).flatMap((id) => instructionsOf(id, eligible))
  const shown = given.slice(0, MOST_SERVERS[detail])
  return {
    texts: Object.fromEntries(shown.map(({ name, text }) => [name, text])),
    serverIds: shown.map(({ id }) => id),
  }
}

/** Empty for a server whose first sight had all of them. */
function instructionsOf(id: string, { servers }: EligibleTools): readonly { id: string; name: string; text: string }[] {
  const server = servers.find((each) => each.id === id)
  const text = cleanText(server?.instructions ?? '', LONGEST_INSTRUCTIONS)
  if (server === undefined || text === '') return []
  const wasWhole = server.description === undefined && text.length <= PURPOSES[0]
  return wasWhole ? [] : [{ id, name: cleanText(server.name, LONGEST_NAME), text }]
}
