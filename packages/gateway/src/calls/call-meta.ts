import { withoutOurMeta } from '../servers/protocol/definition-limits.ts'
import { OUR_PREFIX } from '../servers/protocol/server-limits.ts'

/** Keys that clients write for us, not for servers. */
const OURS: ReadonlySet<string> = new Set(['token', 'projectId', 'progressToken'])
const PROTOCOL_PREFIX = 'io.modelcontextprotocol/'
/** The only protocol key of a client that is passed on. */
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
/** The name of the answering server, which clients would take for ours. */
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'

/** The part of a client's `_meta` that a server gets: trace context and the like, without our keys and tokens. */
export function metaForServer(meta: unknown): Readonly<Record<string, unknown>> {
  if (typeof meta !== 'object' || meta === null) return {}
  return Object.fromEntries(
    Object.entries(meta).filter(([key]) => {
      if (key === LOG_LEVEL) return true
      return !OURS.has(key) && !key.startsWith(PROTOCOL_PREFIX) && !key.startsWith(OUR_PREFIX)
    }),
  )
}

/** The result for the client: unchanged except for the server's name, and for marks that only the gateway may set. */
export function withoutServerInfo<Result extends Readonly<Record<string, unknown>>>(sent: Result): Result {
  const result = withoutOurMeta(sent)
  const meta = result['_meta']
  if (typeof meta !== 'object' || meta === null || !(SERVER_INFO in meta)) return result
  const { [SERVER_INFO]: _, ...rest } = meta as Record<string, unknown>
  const { _meta, ...others } = result
  return (Object.keys(rest).length === 0 ? others : { ...others, _meta: rest }) as unknown as Result
}
