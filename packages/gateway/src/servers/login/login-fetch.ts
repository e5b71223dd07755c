import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { http } from '../../node-http.ts'
import { bare, isInternalAddress, isLoopbackHost } from './network-places.ts'

/** What a server made us ask for, and we do not. The text is ours. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress'
}

/** Finds the addresses of a host. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

const TIMEOUT_MS = 10_000
const MAX_BYTES = 1_000_000
const WITHOUT_BODY = new Set([204, 205, 304])

/**
 * A fetch for addresses that a server names: its metadata, its authorization server. They must be HTTPS, or on the server's
 * own origin, or on this machine if the server is; and a server out in the world cannot make us ask into our private
 * network, whatever its names resolve to. No redirects, ten seconds, one megabyte.
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
    // The system is not asked about literal addresses, so they are looked at here.
    if (isIP(host) !== 0) await checkAddresses(host)
    return answer(await send(url, init, pinned(checkAddresses)))
  }
}

/**
 * Refuses an address that a person or we should not be sent to.
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

/** The connection goes to the very address that was checked: names may resolve to another one the next time. */
function pinned(check: Resolve): LookupFunction {
  const answers = async (hostname: string): Promise<readonly LookupAddress[] | Error> => {
    try {
      const addresses = await check(hostname)
      return addresses.length > 0 ? addresses : new ForbiddenAddress('it names a host that has no address')
    } catch (error) {
      return error instanceof Error ? error : new Error('its host cannot be looked up')
    }
  }
  const tell = async (...[hostname, options, callback]: Parameters<LookupFunction>): Promise<void> => {
    const found = await answers(hostname)
    if (found instanceof Error) return callback(found, '')
    if (options.all === true) return callback(null, [...found])
    callback(null, found[0]?.address ?? '', found[0]?.family)
  }
  return (...asked) => void tell(...asked)
}

function send(url: URL, init: RequestInit, lookup: LookupFunction): Promise<IncomingMessage> {
  const headers = new Headers(init.headers)
  headers.set('accept-encoding', 'identity')
  const body = init.body === undefined || init.body === null ? undefined : bodyText(init.body, headers)
  const limit = AbortSignal.timeout(TIMEOUT_MS)
  const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit
  return new Promise((resolve, reject) => {
    const { method = 'GET' } = init
    const request = (url.protocol === 'http:' ? http : https).request(url, {
      method,
      headers: Object.fromEntries(headers),
      lookup,
      signal,
      agent: false,
    })
    request.once('response', resolve)
    request.once('error', reject)
    request.end(body)
  })
}

function bodyText(body: NonNullable<RequestInit['body']>, headers: Headers): string {
  if (body instanceof URLSearchParams) {
    if (!headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
    return body.toString()
  }
  if (typeof body === 'string') return body
  throw new TypeError('only texts are sent')
}

async function answer(message: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new ForbiddenAddress('its authorization server answers with more than a megabyte')
    chunks.push(chunk)
  }
  const { statusCode: status = 502, headers } = message
  const plain = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] satisfies [string, string]],
  )
  return new Response(WITHOUT_BODY.has(status) ? null : Buffer.concat(chunks), { status, headers: plain })
}

const resolveBySystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)))
  })
