import type { DisclosureSettings } from './settings.ts'

/** A URL path that serves one project and may override its disclosure. */
export interface Endpoint {
  /** The path segment: `/<id>/mcp`; the default endpoint is also `/mcp`. */
  readonly id: string
  readonly projectId: string
  readonly disclosure: DisclosureSettings
  /** `none` accepts requests without a token, and is allowed on loopback only. */
  readonly auth: 'token' | 'none'
  /** Proxies one server unchanged: no prefix, no tools of the gateway. */
  readonly transparent: boolean
}

/** Whether an endpoint belongs to the commands of this program; the API does not show it. */
export const isInternalEndpoint = (endpointId: string): boolean => endpointId.startsWith('local.')
