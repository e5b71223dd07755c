import type { ServerResponse } from 'node:http'
import type { AuthConfig } from '@tooldex/contract'
import { header, type RequestHead, sendJson } from '../mcp/http-exchange.ts'
import { pathOf } from './routes.ts'

/** The path of the protected resource metadata (RFC 9728), which names the issuer of tokens. */
const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** The address of the metadata for the path of a request. The Host header has been checked. */
export function metadataUrl(req: RequestHead): string {
  return `${originOf(req)}${WELL_KNOWN}${pathOf(req)}`
}

/**
 * Answers `/.well-known/oauth-protected-resource`, with or without the path of an endpoint. The
 * answer is the same for existing and missing endpoints. Returns false for other paths.
 */
export function answerMetadata(req: RequestHead, res: ServerResponse, { issuer, scopePrefix }: AuthConfig): boolean {
  const path = pathOf(req)
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

/** The origin as the client sees it, through a proxy that ends TLS as well. Only the client itself gets it. */
function originOf(req: RequestHead): string {
  const isSecure = header(req, 'x-forwarded-proto')?.split(',', 1)[0]?.trim() === 'https'
  return `${isSecure ? 'https' : 'http'}://${header(req, 'host') ?? 'localhost'}`
}
