import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client'
import { GatewayError, ServerReplyError } from '../../errors.ts'
import type { ClientLink, ServerRequest } from '../server.ts'
import { missingCapability, SHARED_CAPABILITIES } from './client-capabilities.ts'
import type { OpenRequests } from './open-requests.ts'

/** Who answers a server's requests on a connection: the client that owns it, the client that is calling, or none. */
export type Asked = 'owner' | 'caller' | 'none'

const ASKABLE = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
])

/** Answers the requests of a server to its client, in the older eras. A request that may belong to another client is refused. */
export class ClientRequests {
  readonly #requests: OpenRequests
  readonly #asked: Asked
  readonly #owner: () => ClientLink | undefined

  constructor(requests: OpenRequests, asked: Asked, owner: () => ClientLink | undefined) {
    this.#requests = requests
    this.#asked = asked
    this.#owner = owner
  }

  /** @throws ProtocolError with the reason, for the server */
  async answer(request: ServerRequest, signal: AbortSignal): Promise<Record<string, unknown>> {
    const capability = ASKABLE.get(request.method)
    if (capability === undefined || this.#asked === 'none') throw notFound('Method not found')
    const link = this.#asked === 'owner' ? this.#ownerFor(capability) : this.#callerFor(request)
    const { answer, sessionId } = link
    try {
      const answered = await this.#requests.whileAsked(sessionId, (over) =>
        answer(request, AbortSignal.any([signal, over])),
      )
      return { ...answered }
    } catch (error) {
      if (error instanceof ServerReplyError) throw new ProtocolError(error.rpcCode, error.message, error.data)
      const reason = error instanceof GatewayError ? error.message : 'The client could not be asked'
      throw new ProtocolError(ProtocolErrorCode.InternalError, reason)
    }
  }

  #ownerFor(capability: string): AnsweringLink {
    const link = this.#latest() ?? this.#owner()
    if (link === undefined || !canAnswer(link) || !(capability in link.capabilities)) throw notFound('Method not found')
    return link
  }

  /** On standard streams a request names no call, so it is answered only if all open calls belong to one client. */
  #callerFor(request: ServerRequest): AnsweringLink {
    if (missingCapability(request, SHARED_CAPABILITIES) !== undefined) {
      throw notFound(`${request.method} of this kind is not offered to a server that several clients share`)
    }
    const sessions = this.#requests.sessions()
    if (sessions.size > 1) {
      throw refused('The request cannot be assigned to a client: several have, or recently had, calls to this server')
    }
    const link = this.#requests.latest(({ client }) => client !== undefined)?.client
    if (link === undefined) throw refused('No call is open that this request could belong to')
    if (!canAnswer(link) || missingCapability(request, link.capabilities) !== undefined) {
      throw notFound(`The client that is calling does not support ${request.method} of this kind`)
    }
    return link
  }

  #latest(): ClientLink | undefined {
    return this.#requests.latest(({ client }) => client?.answer !== undefined)?.client
  }
}

type AnsweringLink = ClientLink & Required<Pick<ClientLink, 'answer'>>

const canAnswer = (link: ClientLink): link is AnsweringLink => link.answer !== undefined

const notFound = (message: string) => new ProtocolError(ProtocolErrorCode.MethodNotFound, message)
const refused = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidRequest, message)
