import { GatewayError, ServerReplyError } from '../../errors.ts'
import { isRecord } from '@tooldex/http-kit/json'
import { inSlices, type Steps } from '../../in-slices.ts'
import type { Server } from '../server.ts'
import { limitedEntry, UnreadEntry } from './definition-limits.ts'
import { SERVER_LIMITS } from './server-limits.ts'

/** The kinds of lists that a server has. */
export type Listable = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

/** A list as a server gave it, all pages in order. */
export interface WholeList {
  readonly items: readonly Readonly<Record<string, unknown>>[]
  /** What was left out and why, one sentence each; empty for nearly all servers. */
  readonly problems: readonly string[]
}

const METHODS: Readonly<Record<Listable, string>> = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
}
const MAX_PAGES = 200
const METHOD_NOT_FOUND = -32601
const NOTHING: WholeList = { items: [], problems: [] }

/**
 * Asks for every page. A server that cannot list such things has none of them.
 * @throws GatewayError SERVER_* codes, ServerReplyError
 */
export async function listAll(server: Server, what: Listable, signal?: AbortSignal): Promise<WholeList> {
  if (!mayHave(server, what)) return NOTHING
  try {
    return await allPages(server, what, signal)
  } catch (error) {
    if (error instanceof ServerReplyError && error.rpcCode === METHOD_NOT_FOUND) return NOTHING
    throw error
  }
}

async function allPages(server: Server, what: Listable, signal?: AbortSignal): Promise<WholeList> {
  const { name, limits } = server.definition
  const deadline = performance.now() + limits.startTimeoutMs + limits.listTimeoutMs
  const kept: Kept = { items: [], problems: [], characters: 0 }
  const { items, problems } = kept
  const seen = new Set<string>()
  let cursor: string | undefined
  do {
    const timeoutMs = Math.ceil(Math.min(limits.listTimeoutMs, deadline - performance.now()))
    if (timeoutMs <= 0) throw tooSlow(name, METHODS[what], limits.listTimeoutMs)
    const params = cursor === undefined ? {} : { cursor }
    // One more than is kept, to know that there are more.
    const mostEntries = limits.maxTools - items.length + 1
    const options = { timeoutMs, mostEntries, ...(signal && { signal }) }
    const page = await server.request({ method: METHODS[what], params }, options)
    const entries = page[what]
    const isWhole = await inSlices(takeSteps(entries, kept, what))
    if (!isWhole) {
      problems.push(`Its ${what} have more than ${SERVER_LIMITS.listCharacters} characters; the rest is left out.`)
      return { items, problems }
    }
    if (Array.isArray(entries) && entries.length >= mostEntries) {
      problems.push(`It lists more than ${limits.maxTools} ${what}; the rest is left out.`)
      return { items: items.slice(0, limits.maxTools), problems }
    }
    cursor = typeof page['nextCursor'] === 'string' ? page['nextCursor'] : undefined
    if (cursor !== undefined && seen.has(cursor)) {
      problems.push(`Its pages of ${what} go in a circle; the list ends where it began to repeat.`)
      return { items, problems }
    }
    if (cursor !== undefined) seen.add(cursor)
  } while (cursor !== undefined && seen.size < MAX_PAGES)
  if (cursor !== undefined) problems.push(`Its ${what} have more than ${MAX_PAGES} pages; the rest is left out.`)
  return { items, problems }
}

interface Kept {
  readonly items: Readonly<Record<string, unknown>>[]
  readonly problems: string[]
  characters: number
}

/** Takes over a page, in each step an entry within the limits. @returns false once the list is too large */
function* takeSteps(page: unknown, kept: Kept, what: Listable): Steps<boolean> {
  const { items, problems } = kept
  if (!Array.isArray(page)) {
    problems.push(`A page of its ${what} is not a list.`)
    return true
  }
  let others = 0
  for (const raw of page as readonly unknown[]) {
    if (raw instanceof UnreadEntry) problems.push(`An entry of its ${what} is left out: it has ${raw.bytes} bytes.`)
    else if (!isRecord(raw)) others++
    else {
      const { entry, characters, remarks } = limitedEntry(raw)
      kept.characters += characters
      if (kept.characters > SERVER_LIMITS.listCharacters) return false
      if (entry !== undefined) items.push(entry)
      problems.push(...remarks)
    }
    yield
  }
  if (others > 0) problems.push(`${others} of its ${what} are not objects.`)
  return true
}

/** Tools are requested even if they were not declared, because some servers forget to declare them. */
function mayHave(server: Server, what: Listable): boolean {
  const capabilities = server.capabilities()
  if (capabilities === undefined || what === 'tools') return true
  return (what === 'prompts' ? 'prompts' : 'resources') in capabilities
}

function tooSlow(name: string, method: string, limitMs: number): GatewayError {
  return new GatewayError('SERVER_TIMEOUT', {
    server: name,
    limitMs,
    reason: `"${name}" did not send all pages of ${method} within ${limitMs} ms`,
  })
}
