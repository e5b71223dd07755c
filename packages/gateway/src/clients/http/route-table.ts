import type { Exchange } from './exchange.ts'
import type { LazySdk, SdkAnswer } from '../sdk/lazy-sdk.ts'
import type { LeanPath } from '../mcp/lean-path.ts'
import type { LeanSessions } from '../mcp/lean-sessions.ts'
import { messagesPath, type PlainHandler, type Route } from './routes.ts'

/** Who answers what comes over HTTP. */
export interface Answerers {
  /** What can be answered without the SDK; absent where it answers everything. */
  readonly lean: { readonly path: LeanPath; readonly sessions: LeanSessions } | undefined
  readonly sdk: LazySdk
  readonly health: PlainHandler
  readonly ready: PlainHandler
  readonly metrics: PlainHandler
}

type Answer = (exchange: Exchange) => void | Promise<void>

/** The whole surface. A path may begin with `/:endpoint`; without it, it is the default endpoint's. */
export function routeTable({ lean, sdk, health, ready, metrics }: Answerers): readonly Route[] {
  const bySdk =
    (answer: SdkAnswer): Answer =>
    (exchange) =>
      sdk.answer(exchange, answer)
  const leanOr =
    (isAnswered: (sessions: LeanSessions, exchange: Exchange) => boolean, otherwise: Answer): Answer =>
    (exchange) =>
      lean !== undefined && isAnswered(lean.sessions, exchange) ? undefined : otherwise(exchange)
  const post = leanOr(
    (sessions, exchange) => sessions.tryPost(exchange),
    bySdk((path, exchange) => path.post(exchange)),
  )
  const mcp: Answer = (exchange) => lean?.path.tryAnswer(exchange) ?? post(exchange)
  const listen = leanOr(
    (sessions, exchange) => sessions.tryListen(exchange),
    bySdk((path, exchange) => path.listen(exchange)),
  )
  const end = leanOr(
    (sessions, exchange) => sessions.tryEnd(exchange),
    bySdk((path, exchange) => path.end(exchange)),
  )
  const openSse = bySdk((path, exchange) => path.openSse(exchange, messagesPath(exchange.req)))
  const postSse = bySdk((path, exchange) => path.postSse(exchange))
  return [
    ['POST', '/mcp', 'client', mcp],
    ['GET', '/mcp', 'client', listen],
    ['DELETE', '/mcp', 'client', end],
    ['POST', '/:endpoint/mcp', 'client', mcp],
    ['GET', '/:endpoint/mcp', 'client', listen],
    ['DELETE', '/:endpoint/mcp', 'client', end],
    ['GET', '/sse', 'client', openSse],
    ['POST', '/messages', 'client', postSse],
    ['GET', '/:endpoint/sse', 'client', openSse],
    ['POST', '/:endpoint/messages', 'client', postSse],
    ['GET', '/healthz', 'open', health],
    ['GET', '/readyz', 'open', ready],
    ['GET', '/metrics', 'local', metrics],
  ]
}
