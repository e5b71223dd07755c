/** Keys that clients write for us, not for servers. */
const OURS: ReadonlySet<string> = new Set(['token', 'projectId', 'progressToken'])
const PROTOCOL_PREFIX = 'io.modelcontextprotocol/'
const OUR_PREFIX = 'io.tooldex/'
/** The one protocol key that a caller's wish travels by. */
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
/** Says who answered; a server's must not pass as ours. */
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'

/** What of a client's `_meta` a server gets to see: trace context and the like, nothing of ours, no token. */
export function metaForServer(meta: unknown): Readonly<Record<string, unknown>> {
  if (typeof meta !== 'object' || meta === null) return {}
  return Object.fromEntries(
    Object.entries(meta).filter(([key]) => {
      if (key === LOG_LEVEL) return true
      return !OURS.has(key) && !key.startsWith(PROTOCOL_PREFIX) && !key.startsWith(OUR_PREFIX)
    }),
  )
}

/** The result as the client gets it: as it came, without the server's claim to be the one that it talks to. */
export function withoutServerInfo<Result extends Readonly<Record<string, unknown>>>(result: Result): Result {
  const meta = result['_meta']
  if (typeof meta !== 'object' || meta === null || !(SERVER_INFO in meta)) return result
  const { [SERVER_INFO]: _, ...rest } = meta as Record<string, unknown>
  const { _meta, ...others } = result
  return (Object.keys(rest).length === 0 ? others : { ...others, _meta: rest }) as unknown as Result
}
