import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'
import { Cancellation } from '../protocol/cancellation.ts'
import { BodyTooLarge } from '../protocol/errors.ts'

/** A request that a server caused and that the gateway refuses. The text is ours. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress'
}

/** Finds the addresses of a host. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

const TIMEOUT_MS = 10_000
const MAX_BYTES = 1_000_000
const WITHOUT_BODY = new Set([204, 205, 304])
const LOOPBACK = blockList(['127.0.0.0/8', '::1/128'])
/** Addresses of this machine and its private networks, which are not reachable from outside. */
const INTERNAL = blockList([
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10', '0.0.0.0/8'],
  ...['::1/128', '::/128', 'fc00::/7', 'fe80::/10'],
])
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/**
 * A fetch for addresses that a server names: its metadata, its authorization server. They must be HTTPS, or on the server's
 * own origin, or on this machine if the server is; and a public server cannot make the gateway send requests into a private
 * network, to which its names may resolve. No redirects, ten seconds, one megabyte.
 */
export function loginFetch(serverUrl: string, resolve: Resolve = resolveBySystem): Fetch {
  const server = new URL(serverUrl)
  const isInternalServer = async (): Promise<boolean> => {
    const addresses = await resolve(bare(server.hostname))
    return addresses.some(({ address }) => isInternalAddress(address))
  }
  const checkAddresses = async (hostname: string): Promise<readonly LookupAddress[]> => {
    const addresses = await resolve(hostname)
    const isSurprise = addresses.some(({ address }) => isInternalAddress(address))
    if (isSurprise && hostname !== bare(server.hostname) && !(await isInternalServer())) {
      throw new ForbiddenAddress('it names an address in a private network')
    }
    return addresses
  }
  return async (address, init = {}) => {
    const url = new URL(address)
    checkScheme(url, server)
    const host = bare(url.hostname)
    // Literal addresses are not resolved, so they are checked here.
    if (isIP(host) !== 0) await checkAddresses(host)
    return send(url, init, pinned(checkAddresses))
  }
}

/**
 * Refuses an address to which neither a person nor the gateway should be sent.
 * @throws ForbiddenAddress
 */
export function checkScheme(url: URL, server: URL): void {
  const isPlain = url.protocol === 'http:'
  const isOurs = url.origin === server.origin || (isLoopbackHost(url.hostname) && isLoopbackHost(server.hostname))
  if (url.protocol !== 'https:' && !(isPlain && isOurs)) {
    throw new ForbiddenAddress('it names an address that is not https')
  }
  if (url.username !== '' || url.password !== '')
    throw new ForbiddenAddress('it names an address with a password in it')
}

/** A lookup that connects to the address that was checked: the next one could resolve the name differently. */
function pinned(check: Resolve): LookupFunction {
  const answers = async (hostname: string): Promise<readonly LookupAddress[] | Error> => {
    try {
      const addresses = await check(hostname)
      return addresses.length > 0 ? addresses : new ForbiddenAddress('it names a host that has no address')
    } catch (error) {
      return error instanceof Error ? error : new Error('its host cannot be looked up')
    }
  }
  const resolve = async (...[hostname, options, callback]: Parameters<LookupFunction>): Promise<void> => {
    const found = await answers(hostname)
    if (found instanceof Error) return callback(found, '')
    if (options.all === true) return callback(null, [...found])
    callback(null, found[0]?.address ?? '', found[0]?.family)
  }
  return (...asked) => void resolve(...asked)
}

/** Every request has a connection of its own: a kept one would bypass the check of the address. */
async function send(url: URL, init: RequestInit, lookup: LookupFunction): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('accept-encoding', 'identity')
  const body = init.body === undefined || init.body === null ? undefined : bodyText(init.body, headers)
  const limit = AbortSignal.timeout(TIMEOUT_MS)
  const cancellation = Cancellation.by(init.signal ? AbortSignal.any([init.signal, limit]) : limit)
  const method = init.method === 'POST' ? 'POST' : 'GET'
  const [{ openDispatcher, HttpExchange, headerOf }, { readText }] = await Promise.all([
    import('../http/http-exchange.ts'),
    import('../http/http-body.ts'),
  ])
  const dispatcher = openDispatcher(lookup)
  try {
    const request = { method, headers: Object.fromEntries(headers), body, cancellation } as const
    const answer = await new HttpExchange(request).send(dispatcher, url)
    const text = await readText(answer.body, MAX_BYTES)
    const { status } = answer
    const fields = Object.keys(answer.headers).map((name): [string, string] => [name, headerOf(answer, name) ?? ''])
    return new Response(WITHOUT_BODY.has(status) ? null : text, { status, headers: fields })
  } catch (error) {
    if (!(error instanceof BodyTooLarge)) throw error
    throw new ForbiddenAddress('its authorization server answers with more than a megabyte', { cause: error })
  } finally {
    void dispatcher.destroy()
  }
}

function bodyText(body: NonNullable<RequestInit['body']>, headers: Headers): string {
  if (body instanceof URLSearchParams) {
    if (!headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
    return body.toString()
  }
  if (typeof body === 'string') return body
  throw new TypeError('only text bodies are sent')
}

const resolveBySystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)))
  })

/** Whether the host of a URL is this machine. */
export function isLoopbackHost(hostname: string): boolean {
  const host = bare(hostname)
  return host === 'localhost' || (isIP(host) !== 0 && includes(LOOPBACK, host))
}

/** Whether an address belongs to this machine or a private network. */
export function isInternalAddress(address: string): boolean {
  return includes(INTERNAL, bare(address))
}

/** A host without the brackets that a URL puts around an IPv6 address. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function includes(list: BlockList, address: string): boolean {
  const mapped = MAPPED.exec(address)?.[1]
  if (mapped !== undefined) return list.check(mapped, 'ipv4')
  // A URL has mapped addresses in hexadecimal.
  if (isIPv6(address) && address.toLowerCase().startsWith('::ffff:')) return true
  return isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4')
  }
  return list
}
