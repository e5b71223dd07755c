import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client'
import { GatewayError, ServerReplyError } from '../../errors.ts'
import type { ServerDefinition } from '../../model/server.ts'
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

/** The connection, as far as requests of its server to a client are concerned. */
export interface ClientRequestParts {
  readonly requests: OpenRequests
  readonly asked: Asked
  /** The capabilities that the server was told. */
  readonly declared: ClientLink['capabilities']
  readonly instances: ServerDefinition['instances']
  readonly owner: () => ClientLink | undefined
  /** Called when the server asks for a client on a connection that clients share. */
  readonly onAsked: (isAssigned: boolean) => void
}

/** Answers the requests of a server to its client, in the older eras. A request that may belong to another client is refused. */
export class ClientRequests {
  readonly #parts: ClientRequestParts

  constructor(parts: ClientRequestParts) {
    this.#parts = parts
  }

  /** @throws ProtocolError with the reason, for the server */
  async answer(request: ServerRequest, signal: AbortSignal): Promise<Record<string, unknown>> {
    const capability = ASKABLE.get(request.method)
    const { asked, declared, requests, onAsked } = this.#parts
    const isAmbiguous = asked === 'caller' && capability !== 'roots' && requests.sessions().size > 1
    if (capability === undefined || asked === 'none') throw notFound('Method not found')
    if (asked === 'caller') onAsked(!isAmbiguous)
    // The shared process has no client whose folders these could be.
    if (asked === 'caller' && capability === 'roots' && 'roots' in declared) return { roots: [] }
    const link = asked === 'owner' ? this.#ownerFor(capability) : this.#callerFor(request)
    const { answer, sessionId } = link
    try {
      // Servers ask for folders on their own account: the answer is needed whatever becomes of the calls that are open.
      if (capability === 'roots') return { ...(await answer(request, signal)) }
      const answered = await requests.whileAsked(sessionId, (over) => answer(request, AbortSignal.any([signal, over])))
      return { ...answered }
    } catch (error) {
      if (error instanceof ServerReplyError) throw new ProtocolError(error.rpcCode, error.message, error.data)
      const reason = error instanceof GatewayError ? error.message : 'The client could not be asked'
      throw new ProtocolError(ProtocolErrorCode.InternalError, reason)
    }
  }

  #ownerFor(capability: string): AnsweringLink {
    const link = this.#latest() ?? this.#parts.owner()
    if (link === undefined || !canAnswer(link) || !(capability in this.#parts.declared))
      throw notFound('Method not found')
    return link
  }

  /** On standard streams a request names no call, so it is answered only if all open calls belong to one client. */
  #callerFor(request: ServerRequest): AnsweringLink {
    if (missingCapability(request, SHARED_CAPABILITIES) !== undefined) {
      throw notFound(`${request.method} of this kind is not offered to a server that several clients share`)
    }
    const { requests, instances } = this.#parts
    if (requests.sessions().size > 1) {
      const reason = 'The request cannot be assigned to a client: several have, or recently had, calls to this process.'
      throw refused(`${reason} ${REMEDY[instances]}`)
    }
    const link = requests.latest(({ client }) => client !== undefined)?.client
    if (link === undefined) throw refused('No call is open that this request could belong to')
    if (!canAnswer(link) || missingCapability(request, link.capabilities) !== undefined) {
      throw notFound(`The client that is calling does not support ${request.method} of this kind`)
    }
    return link
  }

  #latest(): ClientLink | undefined {
    return this.#parts.requests.latest(({ client }) => client?.answer !== undefined)?.client
  }
}

const REMEDY = {
  auto: 'New calls of each client go to a process of its own while there is room: make the call again',
  'per-client': 'Make the call from a client that has a process of its own',
  shared: 'Set `instances` of the server to `per-client`, so that each client has a process of its own',
} as const satisfies Record<ServerDefinition['instances'], string>

type AnsweringLink = ClientLink & Required<Pick<ClientLink, 'answer'>>

const canAnswer = (link: ClientLink): link is AnsweringLink => link.answer !== undefined

const notFound = (message: string) => new ProtocolError(ProtocolErrorCode.MethodNotFound, message)
const refused = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidRequest, message)
