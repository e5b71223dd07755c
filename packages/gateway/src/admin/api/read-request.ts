import type { ConfigJsonSchema, ConfigProblem } from '@tooldex/contract'
import { type AdminRoute, readWith } from '@tooldex/contract/admin'
import { z } from 'zod'
import { GatewayError } from '../../errors.ts'
import { InvalidRequest } from '../changes/invalid-request.ts'

const MAX_BODY_BYTES = 4 * 1024 * 1024
const MAX_DEPTH = 64

/** A request, checked against the schemas of its route. */
export interface ReadRequest {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  /** The value of `If-Match`, without quotes. */
  readonly revision?: string
}

/** Reads and checks a request. @throws InvalidRequest with every problem; GatewayError REQUEST_NOT_JSON, REQUEST_TOO_LARGE */
export async function readRequest(
  route: AdminRoute,
  params: Record<string, string>,
  request: Request,
): Promise<ReadRequest> {
  const problems: ConfigProblem[] = []
  const read = (schema: z.ZodType | undefined, value: unknown): unknown => {
    if (schema === undefined) return undefined
    const checked = readWith(
      schema,
      value,
      () => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as ConfigJsonSchema,
    )
    if ('problems' in checked) problems.push(...checked.problems)
    return 'problems' in checked ? undefined : checked.value
  }
  const query = read(route.query ?? NOTHING, queryOf(request, problems))
  const body = read(route.body, route.body === undefined ? undefined : await bodyOf(route, request))
  if (problems.length > 0) throw new InvalidRequest(problems)
  const revision = route.heedsRevision === true ? revisionIn(request) : undefined
  return { params: read(route.params, params), query, body, ...(revision !== undefined && { revision }) }
}

const NOTHING = z.strictObject({})

function queryOf(request: Request, problems: ConfigProblem[]): Record<string, string> {
  const query = new Map<string, string>()
  for (const [name, value] of new URL(request.url).searchParams) {
    if (query.has(name)) problems.push({ path: [name], message: 'is given twice' })
    query.set(name, value)
  }
  return Object.fromEntries(query)
}

async function bodyOf(route: AdminRoute, request: Request): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    throw new GatewayError('REQUEST_NOT_JSON', { remedy: 'Send it with Content-Type: application/json' })
  }
  const limit = route.maxBodyBytes ?? MAX_BODY_BYTES
  const text = await textOf(request, limit)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new InvalidRequest([{ path: [], message: 'the body is not valid JSON' }])
  }
  if (isTooDeep(value, MAX_DEPTH)) throw new InvalidRequest([{ path: [], message: 'the JSON is nested too deep' }])
  return value
}

/** Reads the body and never buffers more than the limit. */
async function textOf(request: Request, limit: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > limit) throw new GatewayError('REQUEST_TOO_LARGE', { limit, remedy: `Send at most ${limit} bytes` })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function isTooDeep(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some((each) => isTooDeep(each, left - 1))
}

function revisionIn(request: Request): string | undefined {
  const text = request.headers.get('if-match')?.trim()
  return text === undefined ? undefined : text.replace(/^(?:W\/)?"(.*)"$/, '$1')
}
