// A service with one token, and requests to it, for the tests of the service.
import { createHash } from 'node:crypto'
import {
  CATALOG_TYPE,
  type CatalogTool,
  type Problem,
  problemSchema,
  type SearchApiAnswer,
  searchApiAnswerSchema,
} from '@tooldex/contract/search-api'
import { loadStaticEmbedder } from '@tooldex/embeddings'
import type { SearchApiOptions } from './options.ts'
import { createSearchApi, type SearchApi } from './search-api.ts'

export const SECRET = 'tdx_test-secret'
export const sha256 = (secret: string): string => createHash('sha256').update(secret).digest('hex')

const embedder = loadStaticEmbedder()

/** A service whose one token belongs to the project `work`. */
export function apiWith(options: SearchApiOptions = {}): SearchApi {
  return createSearchApi({
    tokens: [{ sha256: sha256(SECRET), project: 'work' }],
    embedders: [embedder],
    ...options,
  })
}

/** Tools that differ clearly. */
export const TOOLS = [
  tool('github:create_issue', 'Create a new issue in a repository.'),
  tool('github:list_branches', 'List the branches of a repository.'),
  tool('files:delete_file', 'Delete a file from disk.'),
  tool('weather:get_forecast', 'The weather of the next days at a place.'),
  tool('mail:send_message', 'Send an e-mail to a person.'),
]

/** A tool from its key. */
export function tool(toolKey: string, description?: string) {
  const [serverName = '', toolName = ''] = toolKey.split(':', 2)
  return { toolKey, toolName, serverName, ...(description !== undefined && { description }) }
}

/** A response. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** Posts a body: bytes and text as they are, anything else as JSON. */
export async function post(api: SearchApi, body: unknown, init: RequestInit & { path?: string } = {}): Promise<Reply> {
  const { path = '/catalog/search', headers, ...rest } = init
  const request = new Request(`http://search.test${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${SECRET}`, ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
    ...rest,
  })
  const response = await api.handle(request)
  return { status: response.status, headers: response.headers, body: await response.json() }
}

/** A catalog as it is uploaded, and its hash. */
export function catalogOf(tools: readonly CatalogTool[]): { readonly lines: Buffer; readonly hash: string } {
  const lines = Buffer.from(tools.map((one) => `${JSON.stringify(one)}\n`).join(''))
  return { lines, hash: createHash('sha256').update(lines).digest('hex') }
}

/** Uploads a catalog; returns the reply. */
export function upload(
  api: SearchApi,
  { lines, hash }: { readonly lines: Uint8Array; readonly hash: string },
  { headers, query = '' }: { readonly headers?: Record<string, string>; readonly query?: string } = {},
): Promise<Reply> {
  const type = { 'content-type': CATALOG_TYPE }
  return post(api, lines, { method: 'PUT', path: `/v1/catalogs/${hash}${query}`, headers: { ...type, ...headers } })
}

/** The answer to a valid request. */
export async function search(api: SearchApi, body: object): Promise<SearchApiAnswer> {
  const reply = await post(api, { tools: TOOLS, ...body })
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body))
  return searchApiAnswerSchema.parse(reply.body)
}

/** The problem that answers an invalid request. */
export async function problem(api: SearchApi, body: unknown, init: RequestInit = {}): Promise<Problem> {
  return problemSchema.parse((await post(api, body, init)).body)
}

export const keysOf = ({ results }: SearchApiAnswer): string[] => results.map(({ toolKey }) => toolKey)
