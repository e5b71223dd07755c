import { removeFrom } from '../../remove-from.ts'
import type { Credentials } from './credentials.ts'
import {
  brokenOff,
  headerOf,
  type HttpAnswer,
  type HttpDispatcher,
  HttpExchange,
  type HttpRequest,
} from './http-exchange.ts'

/** What a transport over HTTP needs. */
export interface HttpParts {
  /** Shared by all servers. */
  readonly dispatcher: HttpDispatcher
  readonly maxReplyBytes: number
  readonly credentials?: Credentials | undefined
}

/** What the requests to one server share. */
export interface HttpClientParts extends Pick<HttpParts, 'dispatcher' | 'credentials'> {
  readonly url: URL
  /** Called when a request failed that was not cancelled. */
  readonly onUnreachable?: (error: unknown) => void
}

const MAX_REDIRECTS = 5
const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308])
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Requests to one server, with its credentials. Redirects are followed within the server's origin only, so that our headers
 * stay there.
 */
export class HttpClient {
  readonly #parts: HttpClientParts
  /** For a URL with a user name. */
  readonly #basic: string | undefined
  readonly #open: HttpExchange[] = []
  readonly #ended = (exchange: HttpExchange): void => void removeFrom(this.#open, exchange)
  #isClosed = false

  constructor(parts: HttpClientParts) {
    this.#parts = parts
    this.#basic = basicAuthorization(parts.url)
  }

  /**
   * Sends to the server's URL, or to another one of its origin. A 401 is answered once with renewed credentials.
   * @returns the response, once its headers are there. @throws the reason of the cancellation, or the network error
   */
  async send(request: HttpRequest, url = this.#parts.url): Promise<HttpAnswer> {
    const { credentials, onUnreachable } = this.#parts
    try {
      const known = credentials?.authorization()
      const used = known instanceof Promise ? await known : known
      const authorized = this.#authorized(request, used)
      const first = await this.#exchange(url, authorized)
      const answer = REDIRECTS.has(first.status) ? await this.#followed(url, authorized, first) : first
      if (answer.status !== 401 || credentials === undefined) return answer
      const next = await credentials.refused(used, headerOf(answer, 'www-authenticate') ?? '')
      if (next === undefined) return answer
      answer.body.cancel()
      const renewed = this.#authorized(request, next)
      return await this.#followed(url, renewed, await this.#exchange(url, renewed))
    } catch (error) {
      if (request.cancellation?.isCancelled !== true) onUnreachable?.(error)
      throw error
    }
  }

  /** Ends all requests. */
  close(): void {
    this.#isClosed = true
    for (const exchange of [...this.#open]) exchange.abort(brokenOff())
  }

  /** The answer that the redirects of the first one lead to. */
  async #followed(from: URL, request: HttpRequest, first: HttpAnswer): Promise<HttpAnswer> {
    let url = from
    let answer = first
    for (let followed = 0; REDIRECTS.has(answer.status) && followed < MAX_REDIRECTS; followed++) {
      const target = redirectTarget(url, request, answer)
      if (target === undefined) return answer
      answer.body.cancel()
      url = target
      answer = await this.#exchange(url, request)
    }
    return answer
  }

  #authorized(request: HttpRequest, authorization: string | undefined): HttpRequest {
    const value = authorization ?? request.headers['authorization'] ?? this.#basic
    return value === undefined ? request : { ...request, headers: { ...request.headers, authorization: value } }
  }

  #exchange(url: URL, request: HttpRequest): Promise<HttpAnswer> {
    if (this.#isClosed) return Promise.reject(brokenOff())
    const exchange = new HttpExchange(request, this.#ended)
    this.#open.push(exchange)
    return exchange.send(this.#parts.dispatcher, url)
  }
}

function basicAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(login).toString('base64')}`
}

/** A redirect keeps the method, and stays on its origin or goes to the same host over HTTPS. */
function redirectTarget(from: URL, { method }: HttpRequest, answer: HttpAnswer): URL | undefined {
  const location = headerOf(answer, 'location')
  if (location === undefined || !URL.canParse(location, from.href)) return undefined
  const to = new URL(location, from)
  const keepsMethod = method === 'GET' || KEEPS_METHOD.has(answer.status)
  const isSecured = from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname
  const isWithin = from.origin === to.origin || (isSecured && from.port === '' && to.port === '')
  const keepsLogin = to.username === '' || (to.username === from.username && to.password === from.password)
  return keepsMethod && isWithin && keepsLogin ? to : undefined
}
