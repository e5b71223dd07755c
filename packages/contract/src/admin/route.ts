import type { z } from 'zod'

/** One operation of the admin API, as data: the server, the OpenAPI document, the docs and clients are made from it. */
export interface AdminRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Below `/api/v1`; parameters in braces. */
  readonly path: `/${string}`
  readonly summary: string
  /** Which nouns it belongs to, for docs. */
  readonly tag: string
  /** `open` needs no admin token: it proves who asks by itself. */
  readonly access?: 'open'
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** By status. An answer without a body has `null`; one that is no JSON the media types that it may have. */
  readonly responses: Readonly<Record<number, z.ZodType | null | readonly string[]>>
  /** Heeds `If-Match`: the change happens only if nobody else made one meanwhile (412). */
  readonly heedsRevision?: true
  /** Codes of problems that are particular to this route. */
  readonly problems?: readonly string[]
  /** Largest body in bytes, where it is not 4 MB. */
  readonly maxBodyBytes?: number
}
