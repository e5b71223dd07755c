import type { DisclosureSettings } from './settings.ts'

/** A URL path that serves one project and may override its disclosure. */
export interface Endpoint {
  /** The path segment: `/<id>/mcp`; the default endpoint is also `/mcp`. */
  readonly id: string
  readonly projectId: string
  readonly disclosure: DisclosureSettings
  /** `none` only on loopback: whoever reaches the port may use it. */
  readonly auth: 'token' | 'none'
  /** One server, no prefix, nothing of ours in between: for conformance and plain proxying. */
  readonly transparent: boolean
}
