import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/client'
import { isRecord } from '@tooldex/http-kit/json'
import type { ClientLink, RawResult, ServerRequest } from '../server.ts'

/** The version and name that a 2026-07-28 connection sends for requests without a client. */
export interface Self {
  readonly protocolVersion: string
  readonly info: { readonly name: string; readonly version: string }
}

/** The `_meta` that every message of the 2026-07-28 era carries: version, and the capabilities of the client behind it. */
export function envelopeFor(self: Self, client?: ClientLink): Record<string, unknown> {
  return {
    [PROTOCOL_VERSION_META_KEY]: self.protocolVersion,
    [CLIENT_INFO_META_KEY]: client?.info ?? self.info,
    [CLIENT_CAPABILITIES_META_KEY]: client?.capabilities ?? {},
  }
}

/** The request with its envelope. Values that a client wrote under the envelope's keys are replaced. */
export function enveloped(request: ServerRequest, self: Self, client?: ClientLink, logLevel?: string): ServerRequest {
  const params = request.params ?? {}
  const meta = isRecord(params['_meta']) ? params['_meta'] : {}
  const level = meta[LOG_LEVEL_META_KEY] ?? logLevel
  const leveled = level === undefined ? {} : { [LOG_LEVEL_META_KEY]: level }
  const _meta = { ...withoutEnvelope(meta), ...leveled, ...envelopeFor(self, client) }
  return { method: request.method, params: { ...params, _meta } }
}

/** The request without the newer era's keys, for a server of the older eras. */
export function unenveloped(request: ServerRequest): ServerRequest {
  const meta = request.params?.['_meta']
  if (!isRecord(meta)) return request
  return { method: request.method, params: { ...request.params, _meta: withoutEnvelope(meta) } }
}

/** The result without the era's bookkeeping: `resultType: complete`, and the server's name, which clients would take for ours. */
export function unwrapped(result: RawResult): RawResult {
  const { resultType, ...rest } = result
  const plain: Record<string, unknown> = resultType === undefined || resultType === 'complete' ? rest : { ...result }
  if (!isRecord(plain['_meta']) || !(SERVER_INFO_META_KEY in plain['_meta'])) return plain
  const { [SERVER_INFO_META_KEY]: _, ...meta } = plain['_meta']
  const { _meta, ...others } = plain
  return Object.keys(meta).length > 0 ? { ...others, _meta: meta } : others
}

function withoutEnvelope(meta: Record<string, unknown>): Record<string, unknown> {
  const {
    [PROTOCOL_VERSION_META_KEY]: _version,
    [CLIENT_INFO_META_KEY]: _info,
    [CLIENT_CAPABILITIES_META_KEY]: _capabilities,
    [LOG_LEVEL_META_KEY]: _level,
    ...rest
  } = meta
  return rest
}
