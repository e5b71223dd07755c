import type { Agent, IncomingMessage } from 'node:http'
import { http } from '../../node-http.ts'
import { HttpBody } from './http-body.ts'
import type { HttpAnswer } from './http-connection.ts'
import { type HttpRequest, HttpWire } from './http-wire.ts'
import { brokenOff } from './malformed.ts'

const MAX_REDIRECTS = 5
const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308])
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Requests to one address. Redirects are followed within its origin only, so that our headers stay there. */
export class HttpClient {
  readonly #url: URL
  /** Where nearly all requests go; absent where only Node's client can go. */
  readonly #way: { readonly wire: HttpWire; readonly path: string } | undefined
  readonly #wires = new Map<string, HttpWire>()
  readonly #agents = new Map<string, Agent>()
  #isClosed = false

  constructor(url: URL) {
    this.#url = url
    this.#way = isWithoutLogin(url) ? { wire: this.#wireTo(url), path: pathOf(url) } : undefined
  }

  /** Resolves with the answer once its head is there. @throws why it was cancelled, or the network's error */
  send(request: HttpRequest): Promise<HttpAnswer> {
    const way = request.headers.isPlain ? this.#way : undefined
    const sending = way === undefined ? this.#byNode(this.#url, request) : way.wire.send(way.path, request)
    return sending.then((answer) => (REDIRECTS.has(answer.status) ? this.#followed(request, answer) : answer))
  }

  async #followed(request: HttpRequest, first: HttpAnswer): Promise<HttpAnswer> {
    let url = this.#url
    let answer = first
    for (let followed = 0; REDIRECTS.has(answer.status) && followed < MAX_REDIRECTS; followed++) {
      const target = redirectTarget(url, request, answer)
      if (target === undefined) return answer
      answer.body.cancel()
      url = target
      answer = await this.#sendTo(url, request)
    }
    return answer
  }

  /** Breaks everything off and lets go of the connections. */
  close(): void {
    this.#isClosed = true
    for (const wire of this.#wires.values()) wire.close()
    for (const agent of this.#agents.values()) agent.destroy()
  }

  #sendTo(url: URL, request: HttpRequest): Promise<HttpAnswer> {
    const isPlain = isWithoutLogin(url) && request.headers.isPlain
    return isPlain ? this.#wireTo(url).send(pathOf(url), request) : this.#byNode(url, request)
  }

  #wireTo(url: URL): HttpWire {
    const known = this.#wires.get(url.host)
    if (known !== undefined) return known
    const wire = new HttpWire(url)
    this.#wires.set(url.host, wire)
    return wire
  }

  #byNode(url: URL, { method, headers, body, cancellation }: HttpRequest): Promise<HttpAnswer> {
    const { protocol } = url
    if (cancellation?.reason !== undefined) return Promise.reject(cancellation.reason)
    if (this.#isClosed) return Promise.reject(brokenOff())
    if (protocol !== 'http:' && protocol !== 'https:') return Promise.reject(new TypeError(`${protocol} is not HTTP`))
    const module = protocol === 'http:' ? http : process.getBuiltinModule('node:https')
    const agent = this.#agents.get(protocol) ?? new module.Agent({ keepAlive: true })
    this.#agents.set(protocol, agent)
    return new Promise((resolve, reject) => {
      const sent = module.request(url, { method, headers: { ...headers.fields }, agent })
      cancellation?.tell((reason) => void sent.destroy(reason))
      sent.once('response', (message) => {
        const answer = answerOf(message)
        cancellation?.tell(() => answer.body.cancel())
        resolve(answer)
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }
}

function isWithoutLogin({ protocol, username }: URL): boolean {
  return protocol === 'http:' && username === ''
}

function pathOf({ pathname, search }: URL): string {
  return `${pathname}${search}`
}

function answerOf(message: IncomingMessage): HttpAnswer {
  const { statusCode: status = 0, statusMessage: statusText = '' } = message
  const headers = new Map<string, string>()
  for (const [name, value] of Object.entries(message.headers)) headers.set(name, [value ?? ''].flat().join(', '))
  const body = new HttpBody(() => void message.destroy())
  message.on('data', (piece: Buffer) => body.push(piece))
  message.once('end', () => body.finish())
  message.on('error', (error) => body.finish(error))
  message.once('close', () => body.finish(brokenOff()))
  return { status, statusText, headers, body }
}

/** Where a redirect may be followed to: the method stays, and so does the origin, or it becomes the same host's HTTPS. */
function redirectTarget(from: URL, { method }: HttpRequest, { status, headers }: HttpAnswer): URL | undefined {
  const location = headers.get('location')
  if (location === undefined || !URL.canParse(location, from.href)) return undefined
  const to = new URL(location, from)
  const keepsMethod = method === 'GET' || KEEPS_METHOD.has(status)
  const isSecured = from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname
  const isWithin = from.origin === to.origin || (isSecured && from.port === '' && to.port === '')
  const keepsLogin = to.username === '' || (to.username === from.username && to.password === from.password)
  return keepsMethod && isWithin && keepsLogin ? to : undefined
}
