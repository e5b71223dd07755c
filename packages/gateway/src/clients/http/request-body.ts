import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { BodyError, readBody } from '@tooldex/http-kit/server'
import { GatewayError } from '../../errors.ts'
import { atOnce, inSlices, type Steps } from '../../in-slices.ts'
import { header, type RequestHead } from '../mcp/http-exchange.ts'
import { RPC_CODE } from '../mcp/json-rpc.ts'
import { RpcError } from '../mcp/requests/request-handler.ts'

/** Deeper than any tool's arguments. Keeps recursion over the parsed JSON from overflowing the stack. */
const MAX_DEPTH = 64
/** In bytes: between checking, parsing and answering a larger body, other work runs first. */
const LARGE_BODY = 250_000

/**
 * Reads the JSON of a request without ever holding more than the limit.
 * @param check called with the bytes before they are parsed
 * @throws GatewayError REQUEST_NOT_JSON for another content type, REQUEST_TOO_LARGE, REQUEST_INVALID; RpcError for malformed JSON
 */
export async function readJson(
  req: IncomingMessage,
  maxBytes: number,
  check?: (bytes: Buffer) => void,
): Promise<unknown> {
  checkIsJson(req)
  const bytes = await readBytes(req, maxBytes)
  check?.(bytes)
  const isLarge = bytes.length > LARGE_BODY
  const depth = depthSteps(bytes)
  if (isLarge ? await inSlices(depth) : atOnce(depth)) {
    throw new GatewayError('REQUEST_INVALID', { reason: `the JSON is nested more than ${MAX_DEPTH} levels deep` })
  }
  if (isLarge) await setImmediate()
  const value = parseJson(bytes)
  if (isLarge) await setImmediate()
  return value
}

/** @throws GatewayError REQUEST_NOT_JSON */
function checkIsJson(req: RequestHead): void {
  if (!isJson(header(req, 'content-type'))) {
    throw new GatewayError('REQUEST_NOT_JSON', { remedy: 'Send it with Content-Type: application/json' })
  }
  if ((header(req, 'content-encoding') ?? 'identity') !== 'identity') {
    throw new GatewayError('REQUEST_NOT_JSON', { remedy: 'Send the body as it is, without Content-Encoding' })
  }
}

/** @throws RpcError for malformed JSON */
function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new RpcError(RPC_CODE.parseError, 'The body of the request is not valid JSON')
  }
}

/** The body of a request, if it is not larger than the limit. @throws GatewayError REQUEST_TOO_LARGE, CALL_CANCELLED */
export async function readBytes(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  try {
    return await readBody(req, maxBytes, header(req, 'content-length'))
  } catch (error) {
    if (!(error instanceof BodyError)) throw error
    if (error.kind === 'incomplete') throw new GatewayError('CALL_CANCELLED')
    throw new GatewayError('REQUEST_TOO_LARGE', { limit: maxBytes, remedy: `Send at most ${maxBytes} bytes` })
  }
}

function isJson(contentType: string | undefined): boolean {
  const type = contentType?.split(';', 1)[0]
  return type?.trim().toLowerCase() === 'application/json'
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Bytes that are looked at in one step. */
const STEP = 32_768

/** Whether brackets outside of strings nest too deep. JSON.parse accepts any depth; recursive code behind it does not. */
function* depthSteps(bytes: Buffer): Steps<boolean> {
  let depth = 0
  let isInString = false
  for (let at = 0, pauseAt = STEP; at < bytes.length; at++) {
    const byte = bytes[at]
    if (isInString) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isInString = false
    } else if (byte === QUOTE) isInString = true
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > MAX_DEPTH) return true
    } else if (byte === 0x5d || byte === 0x7d) depth--
    if (at < pauseAt) continue
    pauseAt = at + STEP
    yield
  }
  return false
}
