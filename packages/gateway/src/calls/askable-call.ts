import { isRecord } from '@tooldex/http-kit/json'
import { GatewayError, ServerReplyError } from '../errors.ts'
import { missingCapability, SHARED_CAPABILITIES } from '../servers/protocol/client-capabilities.ts'
import type { ClientLink, RawResult, RequestOptions, ServerRequest } from '../servers/server.ts'

/** A request of the client about a call: the first one, or one with answers. */
export interface Round {
  readonly client: ClientLink
  readonly signal: AbortSignal
  readonly notify: (notification: ServerRequest) => void
  readonly progressToken?: string | number | undefined
}

/** Where calls wait for answers. */
export interface ParkingPlace {
  /** Whether one more call may wait; checked before the call's first question. */
  admits(call: AskableCall): boolean
  /** @returns the state that the client sends with its answers */
  park(call: AskableCall): string
  /** The call does not need its place any more. */
  left(call: AskableCall): void
}

/** Sends the request to the server. */
export type SendCall = (how: RequestOptions) => Promise<RawResult>

interface OpenRound extends Round {
  readonly resolve: (result: RawResult) => void
  readonly reject: (failure: unknown) => void
  readonly cancel: () => void
}

interface Question {
  readonly request: ServerRequest
  readonly answer: (given: Readonly<Record<string, unknown>>) => void
  readonly refuse: (failure: Error) => void
}

type Outcome = { readonly result: RawResult } | { readonly failure: unknown }

/** Collects the questions that a server asks together; too short to be noticed. */
const GATHERING_MS = 10
const METHOD_NOT_FOUND = -32_601
const INVALID_REQUEST = -32_600

/**
 * A call of a client that gets questions only in results (2026-07-28) to a server that may ask during a call (the older
 * eras). If the server asks, the client's request ends with the questions and the call is parked: it stays open at the
 * server until the client sends answers. If it does not ask, the call is an ordinary one.
 */
export class AskableCall implements ClientLink {
  readonly sessionId: string
  readonly group: string
  readonly info?: Readonly<Record<string, unknown>>
  readonly #place: ParkingPlace
  readonly #questions = new Map<string, Question>()
  readonly #ending = new AbortController()
  #capabilities: ClientLink['capabilities'] = {}
  #round: OpenRound | undefined
  #outcome: Outcome | undefined
  #gathering: NodeJS.Timeout | undefined
  #asked = 0
  #isAdmitted = false

  constructor({ sessionId, info }: ClientLink, group: string, place: ParkingPlace) {
    this.sessionId = sessionId
    this.group = group
    this.#place = place
    if (info !== undefined) this.info = info
  }

  /** The capabilities in the client's latest request. */
  get capabilities(): ClientLink['capabilities'] {
    return this.#capabilities
  }

  get answer(): NonNullable<ClientLink['answer']> {
    return (request, signal) => this.#ask(request, signal)
  }

  /** Begins the call. @returns the server's result, or one that asks the client */
  begin(round: Round, send: SendCall): Promise<RawResult> {
    const answered = this.#open(round)
    const how: RequestOptions = {
      signal: this.#ending.signal,
      client: this,
      onNotification: (notification) => this.#round?.notify(notification),
      ...(round.progressToken !== undefined && { onProgress: (progress) => this.#progressed(progress) }),
    }
    send(how).then(
      (result) => this.#end({ result }),
      (failure: unknown) => this.#end({ failure }),
    )
    return answered
  }

  /** Continues with the client's answers. Questions without an answer are asked again. */
  proceed(round: Round, answers: unknown): Promise<RawResult> {
    const answered = this.#open(round)
    if (this.#outcome !== undefined) {
      this.#end(this.#outcome)
      return answered
    }
    for (const [key, question] of this.#questions) {
      const given = answerTo(question.request, isRecord(answers) ? answers[key] : undefined)
      if (given !== undefined) question.answer(given)
      else if (!this.#canAnswer(question.request)) question.refuse(unsupported(question.request))
    }
    if (this.#questions.size > 0) this.#gather()
    return answered
  }

  /** Abandons the call and cancels it at the server. */
  giveUp(): void {
    this.#ending.abort()
  }

  #ask(request: ServerRequest, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const isOver = this.#outcome !== undefined || this.#ending.signal.aborted || signal.aborted
    if (isOver) return Promise.reject(new GatewayError('CALL_CANCELLED'))
    if (!this.#canAnswer(request)) return Promise.reject(unsupported(request))
    this.#isAdmitted ||= this.#place.admits(this)
    if (!this.#isAdmitted) return Promise.reject(crowded())
    const key = `q${++this.#asked}`
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener('abort', takeBack)
        this.#questions.delete(key)
      }
      const refuse = (failure: Error): void => (leave(), reject(failure))
      const takeBack = (): void => refuse(new GatewayError('CALL_CANCELLED'))
      signal.addEventListener('abort', takeBack, { once: true })
      this.#questions.set(key, { request: embedded(request), answer: (given) => (leave(), resolve(given)), refuse })
      this.#gather()
    })
  }

  #canAnswer(request: ServerRequest): boolean {
    return [this.#capabilities, SHARED_CAPABILITIES].every((declared) => !missingCapability(request, declared))
  }

  /** Asks the client after a moment, with all questions that the server has asked until then. */
  #gather(): void {
    if (this.#round !== undefined) this.#gathering ??= setTimeout(() => this.#park(), GATHERING_MS)
  }

  #park(): void {
    this.#gathering = undefined
    // The server has cancelled all questions meanwhile.
    if (this.#questions.size === 0) return
    const inputRequests = Object.fromEntries([...this.#questions].map(([key, { request }]) => [key, request]))
    this.#close()?.resolve({ resultType: 'input_required', inputRequests, requestState: this.#place.park(this) })
  }

  #progressed(progress: Readonly<Record<string, unknown>>): void {
    if (this.#round?.progressToken === undefined) return
    const { notify, progressToken } = this.#round
    notify({ method: 'notifications/progress', params: { ...progress, progressToken } })
  }

  /** The outcome waits for the client's next request if none is open. */
  #end(outcome: Outcome): void {
    this.#outcome = outcome
    const round = this.#close()
    if (round === undefined) return
    if (this.#isAdmitted) this.#place.left(this)
    if ('result' in outcome) round.resolve(outcome.result)
    else round.reject(outcome.failure)
  }

  #open(round: Round): Promise<RawResult> {
    const { promise, resolve, reject } = Promise.withResolvers<RawResult>()
    const cancel = (): void => this.#ending.abort()
    this.#capabilities = round.client.capabilities
    this.#round = { ...round, resolve, reject, cancel }
    if (round.signal.aborted) cancel()
    else round.signal.addEventListener('abort', cancel, { once: true })
    return promise
  }

  #close(): OpenRound | undefined {
    const round = this.#round
    clearTimeout(this.#gathering)
    this.#gathering = undefined
    this.#round = undefined
    round?.signal.removeEventListener('abort', round.cancel)
    return round
  }
}

/** The question as a part of a result. Its progress token is removed, because progress could not be returned. */
function embedded({ method, params = {} }: ServerRequest): ServerRequest {
  const { _meta, ...rest } = params
  const { progressToken: _, ...meta } = isRecord(_meta) ? _meta : {}
  return { method, params: Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest }
}

const unsupported = ({ method }: ServerRequest) =>
  new ServerReplyError(METHOD_NOT_FOUND, `The client that is calling cannot be asked ${method} of this kind`)

const crowded = () =>
  new ServerReplyError(INVALID_REQUEST, 'The client cannot be asked now: too many calls wait for answers')

type Answer = Readonly<Record<string, unknown>>

const ACTIONS: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel'])

/** A client's answer to a server's question, if it has the shape of one. The server judges its content. */
export function answerTo({ method }: ServerRequest, given: unknown): Answer | undefined {
  if (!isRecord(given)) return undefined
  const { resultType: _, ...answer } = given
  return isAnswer(method, answer) ? answer : undefined
}

function isAnswer(method: string, answer: Answer): boolean {
  if (method === 'elicitation/create') {
    const { action, content } = answer
    return ACTIONS.has(action) && (content === undefined || isRecord(content))
  }
  const { role, model, content } = answer
  return typeof role === 'string' && typeof model === 'string' && typeof content === 'object' && content !== null
}
