import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import {
  type CatalogSearch,
  catalogSearchSchema,
  type ProblemField,
  type SearchApiRequest,
  searchApiRequestSchema,
} from '@tooldex/contract/search-api'
import { isRecord } from '@tooldex/http-kit/json'
import { BodyError } from '@tooldex/http-kit/server'
import type { z } from 'zod'
import { ProblemError } from '../problem-error.ts'
import type { Incoming } from './messages.ts'

type Decompress = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const ENCODINGS: ReadonlyMap<string, Decompress> = new Map([
  ['gzip', promisify(gunzip) as Decompress],
  ['x-gzip', promisify(gunzip) as Decompress],
  ['deflate', promisify(inflate) as Decompress],
  ['br', promisify(brotliDecompress) as Decompress],
  ['identity', async (bytes) => bytes],
])
const ACCEPTED = 'gzip, deflate, br'
/** More would not help to correct a request. */
const MOST_FIELDS = 20

/** The largest request that is read. */
export interface RequestLimits {
  /** Before and after decompression. */
  readonly bodyBytes: number
  readonly tools: number
}

/**
 * Reads, decompresses and checks the body of a request. Unknown fields are ignored.
 * @throws ProblemError REQUEST_NOT_JSON, REQUEST_TOO_LARGE, or REQUEST_INVALID with the fields that are wrong
 */
export async function readRequest(incoming: Incoming, limits: RequestLimits): Promise<SearchApiRequest> {
  const body = await readJson(incoming, limits.bodyBytes)
  const tools = isRecord(body) ? body['tools'] : undefined
  if (Array.isArray(tools) && tools.length > limits.tools) {
    throw invalid('REQUEST_TOO_LARGE', [{ field: 'tools', message: `has more than ${limits.tools} entries` }])
  }
  return checked(searchApiRequestSchema, body)
}

/** The same for a search of an uploaded catalog. */
export async function readCatalogSearch(incoming: Incoming, maxBytes: number): Promise<CatalogSearch> {
  return checked(catalogSearchSchema, await readJson(incoming, maxBytes))
}

/** @throws ProblemError REQUEST_INVALID with the fields that are wrong, each after `place` */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, place = ''): z.output<Schema> {
  const { data, error } = schema.safeParse(value, { reportInput: true })
  if (error === undefined) return data
  throw invalid(
    'REQUEST_INVALID',
    error.issues.slice(0, MOST_FIELDS).map((issue) => toField(issue, place)),
  )
}

/** A request with wrong fields. */
export function invalid(code: 'REQUEST_INVALID' | 'REQUEST_TOO_LARGE', errors: readonly ProblemField[]): ProblemError {
  const detail = errors.map(({ field, message }) => `${field} ${message}`).join('; ')
  return new ProblemError(code, `${detail}.`, { errors })
}

async function readJson(incoming: Incoming, maxBytes: number): Promise<unknown> {
  const bytes = await readUnpacked(incoming, 'application/json', maxBytes)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw invalidBody('is not valid JSON in UTF-8')
  }
}

/**
 * The bytes of a body after decompression.
 * @throws ProblemError REQUEST_NOT_JSON for another type or packing, REQUEST_TOO_LARGE, REQUEST_INVALID
 */
export async function readUnpacked(incoming: Incoming, wanted: string, maxBytes: number): Promise<Buffer> {
  const type = incoming.header('content-type')?.split(';', 1)[0]
  if (type?.trim().toLowerCase() !== wanted) throw unsupported('Content-Type', `must be ${wanted}`, {})
  const encoding = (incoming.header('content-encoding') ?? 'identity').trim().toLowerCase()
  const decompress = ENCODINGS.get(encoding)
  if (decompress === undefined) {
    throw unsupported('Content-Encoding', `must be one of ${ACCEPTED}`, { 'accept-encoding': ACCEPTED })
  }
  return unpacked(incoming, decompress, maxBytes)
}

async function unpacked(incoming: Incoming, decompress: Decompress, maxBytes: number): Promise<Buffer> {
  try {
    return await decompress(await incoming.readBody(maxBytes), { maxOutputLength: maxBytes })
  } catch (error) {
    if (error instanceof BodyError && error.kind === 'incomplete') throw invalidBody('did not arrive whole')
    const isTooLarge = error instanceof BodyError || (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
    throw isTooLarge ? tooLarge(maxBytes) : invalidBody('is not what its Content-Encoding says')
  }
}

function tooLarge(maxBytes: number): ProblemError {
  const message = `is larger than ${maxBytes} bytes`
  return new ProblemError('REQUEST_TOO_LARGE', `The body ${message}; send fewer tools or shorter descriptions.`, {
    errors: [{ field: 'body', message }],
  })
}

function unsupported(field: string, message: string, headers: Readonly<Record<string, string>>): ProblemError {
  return new ProblemError('REQUEST_NOT_JSON', `${field} ${message}.`, { errors: [{ field, message }], headers })
}

function invalidBody(message: string): ProblemError {
  return new ProblemError('REQUEST_INVALID', `The body ${message}.`, { errors: [{ field: 'body', message }] })
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly code?: string
  readonly input?: unknown
  readonly expected?: string
  readonly maximum?: number | bigint
  readonly origin?: string
}

function toField(issue: Issue, place: string): ProblemField {
  return { field: fieldOf(issue.path, place), message: messageOf(issue) }
}

/** The place in the body: `tools[3].toolKey`. */
function fieldOf(path: readonly PropertyKey[], place: string): string {
  let field = place
  for (const part of path) field += typeof part === 'number' ? `[${part}]` : `${field === '' ? '' : '.'}${String(part)}`
  return field === '' ? 'body' : field
}

const KINDS: ReadonlyMap<string | undefined, string> = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['array', 'a list'],
  ['object', 'an object'],
])

function messageOf({ code, input, expected, maximum, origin, message }: Issue): string {
  if (code === 'invalid_type') return input === undefined ? 'is missing' : `must be ${KINDS.get(expected) ?? expected}`
  if (code === 'too_big') return `has more than ${maximum} ${origin === 'array' ? 'entries' : 'characters'}`
  return message
}
