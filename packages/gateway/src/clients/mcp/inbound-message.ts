// Reads what a POST carries: which era it belongs to, and whether it is well-formed. Well-formed messages are recognised
// here. The SDK, which takes 15 MB, is loaded only to judge the others.

import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import { decodedField } from '../../servers/protocol/header-parameters.ts'
import { header, type HttpExchange, type RequestHead } from './http-exchange.ts'
import { isRequestId, LOG_LEVELS, META_KEY, RPC_CODE, type RpcFailure, type RpcRequest } from './json-rpc.ts'
import { MODERN_VERSION } from './protocol-versions.ts'

/** What a POST carries. */
export type Inbound =
  /** A request of 2026-07-28. Its headers are still to be compared with `headerFailure`. */
  | { readonly kind: 'modern-request'; readonly request: RpcRequest; readonly version: string }
  | { readonly kind: 'modern-notification'; readonly version: string }
  /** Messages of the revisions with sessions: one, or a batch. */
  | { readonly kind: 'legacy'; readonly messages: readonly JsonObject[]; readonly isBatch: boolean }
  /** To be answered with 400. */
  | { readonly kind: 'refused'; readonly error: RpcFailure }

/** Reads the body and the headers of a POST; synchronously if the message is well-formed. */
export function readInbound(exchange: Pick<HttpExchange, 'req' | 'body'>): Inbound | Promise<Inbound> {
  return wellFormed(exchange) ?? judgedBySdk(exchange)
}

/** Whether `initialize` has the parameters that the protocol wants. */
export async function isInitializeRequest(message: JsonObject): Promise<boolean> {
  const params = message['params']
  const isUsual =
    isRecord(params) &&
    typeof params['protocolVersion'] === 'string' &&
    params['clientInfo'] !== undefined &&
    isUsualInfo(params['clientInfo']) &&
    areUsualCapabilities(params['capabilities'])
  if (isUsual) return true
  const sdk = await import('@modelcontextprotocol/server')
  return sdk.isInitializeRequest(message)
}

/** The parameter of a method that the header `Mcp-Name` repeats. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

/** Why the headers of a 2026-07-28 request do not fit its body. Answered with 400. */
export function headerFailure(req: RequestHead, { method, params }: RpcRequest): RpcFailure | undefined {
  if (header(req, 'mcp-protocol-version') === undefined) {
    const claim = `the body envelope names protocol version ${MODERN_VERSION}`
    return headerMismatch('(missing)', `${claim} but the required MCP-Protocol-Version header is absent`)
  }
  if (header(req, 'mcp-method') === undefined) {
    return headerMismatch('(missing)', `the body names method ${method} but the required Mcp-Method header is absent`)
  }
  const parameter = NAMED_BY.get(method)
  return parameter === undefined ? undefined : nameFailure(header(req, 'mcp-name'), parameter, params?.[parameter])
}

/** Why a version is not served. Answered with 400. */
export function versionFailure(version: string): RpcFailure | undefined {
  if (version === MODERN_VERSION) return undefined
  return {
    code: RPC_CODE.unsupportedProtocolVersion,
    message: `Unsupported protocol version: ${version}`,
    data: { supported: [MODERN_VERSION], requested: version },
  }
}

function nameFailure(said: string | undefined, parameter: string, value: unknown): RpcFailure | undefined {
  const inBody = `the body carries params.${parameter}="${String(value)}"`
  if (said === undefined) {
    if (typeof value !== 'string') return undefined
    return headerMismatch('(missing)', `${inBody} but the required Mcp-Name header is absent`)
  }
  const name = decodedField(said)
  if (name === undefined) return headerMismatch(said, 'the Mcp-Name header carries an invalid Base64 sentinel value')
  if (typeof value !== 'string' || name === value) return undefined
  return headerMismatch(said, `${inBody} but the Mcp-Name header names "${name}"`)
}

function headerMismatch(said: string, body: string): RpcFailure {
  const message = `Bad Request: the request headers and body disagree: ${body}`
  return { code: RPC_CODE.headerMismatch, message, data: { mismatch: { header: said, body } } }
}

const REQUEST_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params'])

/** Reads the messages that nearly every client sends; undefined for all others. */
function wellFormed({ req, body }: Pick<HttpExchange, 'req' | 'body'>): Inbound | undefined {
  if (!isRecord(body) || body['jsonrpc'] !== '2.0') return undefined
  const { id, method, params } = body
  if (method === undefined) return isResponse(body) ? { kind: 'legacy', messages: [body], isBatch: false } : undefined
  if (typeof method !== 'string' || ('id' in body && !isRequestId(id)) || !hasOnly(body, REQUEST_KEYS)) return undefined
  if (params !== undefined && (!isRecord(params) || !isUsualMeta(params['_meta']))) return undefined
  const meta = isRecord(params) ? params['_meta'] : undefined
  const version = header(req, 'mcp-protocol-version')
  if (isRecord(meta) && META_KEY.protocolVersion in meta) {
    const request = { id, method, params } as RpcRequest
    const isModern = isRequestId(id) && version === MODERN_VERSION && isUsualEnvelope(meta)
    return isModern && header(req, 'mcp-method') === method
      ? { kind: 'modern-request', request, version: MODERN_VERSION }
      : undefined
  }
  const isLegacy = version === undefined || version < MODERN_VERSION
  return isLegacy ? { kind: 'legacy', messages: [body], isBatch: false } : undefined
}

function isResponse(body: JsonObject): boolean {
  const { error } = body
  if (!isRequestId(body['id']) || Object.keys(body).length !== 3) return false
  if (isRecord(body['result'])) return true
  return isRecord(error) && Number.isSafeInteger(error['code']) && typeof error['message'] === 'string'
}

function isUsualMeta(meta: unknown): boolean {
  if (meta === undefined) return true
  if (!isRecord(meta) || 'io.modelcontextprotocol/related-task' in meta) return false
  return meta['progressToken'] === undefined || isRequestId(meta['progressToken'])
}

function isUsualEnvelope(meta: JsonObject): boolean {
  const level = meta[META_KEY.logLevel]
  return (
    meta[META_KEY.protocolVersion] === MODERN_VERSION &&
    (level === undefined || LOG_LEVELS.includes(level as string)) &&
    areUsualCapabilities(meta[META_KEY.clientCapabilities]) &&
    isUsualInfo(meta[META_KEY.clientInfo])
  )
}

/** Objects of objects, as the revision defines them, and the one boolean that it knows. */
function areUsualCapabilities(capabilities: unknown): boolean {
  if (!isRecord(capabilities)) return false
  for (const name in capabilities) {
    const capability = capabilities[name]
    if (!isRecord(capability)) return false
    for (const part in capability) {
      if (!isRecord(capability[part]) && !(name === 'roots' && typeof capability[part] === 'boolean')) return false
    }
  }
  return true
}

function isUsualInfo(info: unknown): boolean {
  if (info === undefined) return true
  if (!isRecord(info) || typeof info['name'] !== 'string' || typeof info['version'] !== 'string') return false
  for (const key in info) if (typeof info[key] !== 'string') return false
  return true
}

function hasOnly(object: JsonObject, keys: ReadonlySet<string>): boolean {
  for (const key in object) if (!keys.has(key)) return false
  return true
}

async function judgedBySdk({ req, body }: Pick<HttpExchange, 'req' | 'body'>): Promise<Inbound> {
  const [version, method, name] = ['mcp-protocol-version', 'mcp-method', 'mcp-name'].map((key) => header(req, key))
  const { classifyInboundRequest } = await import('@modelcontextprotocol/server')
  const judged = classifyInboundRequest({
    httpMethod: 'POST',
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
    body,
  })
  if (judged.kind === 'reject') {
    const { code, message, data } = judged
    return { kind: 'refused', error: { code, message, ...(data === undefined ? {} : { data }) } }
  }
  if (judged.kind === 'legacy') {
    const isBatch = Array.isArray(body)
    return { kind: 'legacy', messages: (isBatch ? body : [body]) as readonly JsonObject[], isBatch }
  }
  const claimed = judged.classification.revision ?? 'unknown'
  if (judged.messageKind === 'notification') return { kind: 'modern-notification', version: claimed }
  const { id, method: asked, params } = judged.message
  return { kind: 'modern-request', request: { id, method: asked, ...(params && { params }) }, version: claimed }
}
