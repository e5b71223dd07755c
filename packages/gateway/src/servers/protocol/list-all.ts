import { GatewayError, ServerReplyError } from '../../errors.ts'
import { isRecord } from '@tooldex/http-kit/json'
import type { Server } from '../server.ts'

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
  const items: Readonly<Record<string, unknown>>[] = []
  const problems: string[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  do {
    const timeoutMs = Math.ceil(Math.min(limits.listTimeoutMs, deadline - performance.now()))
    if (timeoutMs <= 0) throw tooSlow(name, METHODS[what], limits.listTimeoutMs)
    const params = cursor === undefined ? {} : { cursor }
    const page = await server.request({ method: METHODS[what], params }, { timeoutMs, ...(signal && { signal }) })
    take(page[what], items, problems, what)
    if (items.length > limits.maxTools) {
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

function take(page: unknown, items: Readonly<Record<string, unknown>>[], problems: string[], what: Listable): void {
  if (!Array.isArray(page)) {
    problems.push(`A page of its ${what} is not a list.`)
    return
  }
  const good = page.filter(isRecord)
  items.push(...good)
  if (good.length < page.length) problems.push(`${page.length - good.length} of its ${what} are not objects.`)
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
