import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { ProblemError } from '../problem-error.ts'
import { tooLarge } from './chunks.ts'
import type { Incoming } from './exchange.ts'

type Decompress = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const ENCODINGS: ReadonlyMap<string, Decompress> = new Map([
  ['gzip', promisify(gunzip) as Decompress],
  ['x-gzip', promisify(gunzip) as Decompress],
  ['deflate', promisify(inflate) as Decompress],
  ['br', promisify(brotliDecompress) as Decompress],
  ['identity', async (bytes) => bytes],
])
const ACCEPTED = 'gzip, deflate, br'

/**
 * The JSON of a request. The limit holds for what was sent and for what it unpacks to.
 * @throws ProblemError REQUEST_NOT_JSON, REQUEST_TOO_LARGE, REQUEST_INVALID
 */
export async function readJson(incoming: Incoming, maxBytes: number): Promise<unknown> {
  if (!isJson(incoming.header('content-type'))) throw notUnderstood('Content-Type', 'must be application/json', {})
  const encoding = (incoming.header('content-encoding') ?? 'identity').trim().toLowerCase()
  const decompress = ENCODINGS.get(encoding)
  if (decompress === undefined) {
    throw notUnderstood('Content-Encoding', `must be one of ${ACCEPTED}`, { 'accept-encoding': ACCEPTED })
  }
  const bytes = await unpack(await incoming.readBody(maxBytes), decompress, maxBytes)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw invalidBody('is not valid JSON in UTF-8')
  }
}

async function unpack(bytes: Buffer, decompress: Decompress, maxBytes: number): Promise<Buffer> {
  try {
    return await decompress(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes)
    throw invalidBody('is not what its Content-Encoding says')
  }
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
}

function notUnderstood(field: string, message: string, headers: Readonly<Record<string, string>>): ProblemError {
  return new ProblemError('REQUEST_NOT_JSON', `${field} ${message}.`, { errors: [{ field, message }], headers })
}

function invalidBody(message: string): ProblemError {
  return new ProblemError('REQUEST_INVALID', `The body ${message}.`, { errors: [{ field: 'body', message }] })
}
