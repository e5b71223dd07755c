import { classifyInboundRequest } from '@modelcontextprotocol/server'
import type { Principal } from '../../model/principal.ts'
import type { Answering } from '../mcp/answer.ts'
import type { ConnectedClients } from '../mcp/connected-clients.ts'
import { type Exchange, header } from '../http/exchange.ts'
import { LegacyHttp } from './http-legacy.ts'
import { type ListenLimits, ModernHttp } from './http-modern.ts'
import type { LegacySessions } from '../mcp/legacy-sessions.ts'
import { SseHttp } from '../sse.ts'

/** What the HTTP server shares with it. */
export interface SdkPathParts {
  readonly answering: Answering
  readonly sessions: LegacySessions
  readonly clients: ConnectedClients
  readonly listenLimits: ListenLimits | undefined
}

/** Every way in that needs the SDK's server. In a module of its own, to be loaded with the first request that needs it. */
export class SdkPath {
  readonly #legacy: LegacyHttp
  readonly #modern: ModernHttp
  readonly #sse: SseHttp

  constructor({ answering, sessions, clients, listenLimits }: SdkPathParts) {
    this.#legacy = new LegacyHttp(answering, sessions, clients)
    this.#modern = new ModernHttp(answering, clients, listenLimits)
    this.#sse = new SseHttp(answering, sessions, clients)
  }

  post(exchange: Exchange): Promise<void> {
    return eraOf(exchange) === 'legacy' ? this.#legacy.post(exchange) : this.#modern.post(exchange)
  }

  /** The stream on which a session hears of changes. */
  listen(exchange: Exchange): Promise<void> {
    return this.#legacy.listen(exchange)
  }

  /** A client ends its session. */
  end(exchange: Exchange): void {
    this.#legacy.end(exchange)
  }

  openSse(exchange: Exchange, messagesPath: string): void {
    this.#sse.open(exchange, messagesPath)
  }

  postSse(exchange: Exchange): Promise<void> {
    return this.#sse.post(exchange)
  }

  /** Ends the streams of tokens that are not valid any more. */
  sweep(isValid: (principal: Principal, endpointId: string) => boolean): void {
    this.#modern.sweep(isValid)
  }

  close(): Promise<void> {
    return this.#modern.close()
  }
}

/** The SDK's own reading of which era a message is of; what it rejects, it answers as the newer one. */
function eraOf({ req, body }: Exchange): 'legacy' | 'modern' {
  const [version, method, name] = ['mcp-protocol-version', 'mcp-method', 'mcp-name'].map((key) => header(req, key))
  const { kind } = classifyInboundRequest({
    httpMethod: 'POST',
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
    body,
  })
  return kind === 'legacy' ? 'legacy' : 'modern'
}
