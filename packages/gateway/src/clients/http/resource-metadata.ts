import type { ServerResponse } from 'node:http'
import type { AuthConfig } from '@tooldex/contract'
import { header, type RequestHead, sendJson } from '../mcp/http-exchange.ts'

/** Where a client learns who gives out tokens for an endpoint (RFC 9728). */
const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** The address of the metadata of whatever a request was for. The Host header has been checked. */
export function metadataUrl(req: RequestHead): string {
  const path = (req.url ?? '/').split('?', 1)[0] ?? '/'
  return `${originOf(req)}${WELL_KNOWN}${path}`
}

/**
 * Answers `/.well-known/oauth-protected-resource`, with or without the path of an endpoint. The same for endpoints that
 * exist and for those that do not. `false` for other paths.
 */
export function answerMetadata(req: RequestHead, res: ServerResponse, { issuer, scopePrefix }: AuthConfig): boolean {
  const path = (req.url ?? '/').split('?', 1)[0] ?? '/'
  if (path !== WELL_KNOWN && !path.startsWith(`${WELL_KNOWN}/`)) return false
  const resource = path.slice(WELL_KNOWN.length)
  if (!/^(?:|\/mcp|\/[\w.-]+\/mcp)$/.test(resource)) return false
  sendJson(
    res,
    200,
    {
      resource: `${originOf(req)}${resource}`,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      resource_name: 'Tooldex',
      tooldex_scope_prefix: scopePrefix,
    },
    { 'cache-control': 'max-age=300' },
  )
  return true
}

/** As the client knows us: through a proxy that ends TLS it says so. It is told to nobody but the client itself. */
function originOf(req: RequestHead): string {
  const isSecure = header(req, 'x-forwarded-proto')?.split(',', 1)[0]?.trim() === 'https'
  return `${isSecure ? 'https' : 'http'}://${header(req, 'host') ?? 'localhost'}`
}
