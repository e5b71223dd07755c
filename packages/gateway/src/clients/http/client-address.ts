import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net'
import { header, type RequestHead } from '../mcp/http-exchange.ts'

type Sent = Pick<RequestHead, 'headers' | 'socket'>

/**
 * Finds the address of the client of a request. Only addresses that trusted proxies report are believed: the headers are
 * read from the right, hop by hop, up to the first that is not a trusted proxy. For limits and the audit log alone; it
 * never proves that a request comes from this machine.
 */
export class ClientAddresses {
  readonly #trusted = new BlockList()
  readonly #hasTrusted: boolean

  /** @param trustedProxies addresses and networks (`10.0.0.0/8`) of proxies that set a header of their own */
  constructor(trustedProxies: readonly string[] = []) {
    this.#hasTrusted = trustedProxies.length > 0
    for (const declared of trustedProxies) {
      const [address = '', prefix] = declared.split('/')
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
      if (prefix === undefined) this.#trusted.addAddress(address, family)
      else this.#trusted.addSubnet(address, Number(prefix), family)
    }
  }

  /** Whether the connection comes from a trusted proxy, so that it carries requests of many clients. */
  isProxy(connection: Sent['socket']): boolean {
    return this.#hasTrusted && this.#isTrusted(normalAddress(connection.remoteAddress ?? ''))
  }

  /** The address of the client. */
  of(req: Sent): string {
    const connected = req.socket.remoteAddress ?? ''
    const nearest = normalAddress(connected) ?? connected
    if (!this.#hasTrusted || !this.#isTrusted(nearest)) return nearest
    const listed = header(req, 'x-forwarded-for')
    const forwarded = header(req, 'forwarded')
    if (forwarded === undefined) return listed === undefined ? nearest : this.#client(nearest, listed, plainAddress)
    const client = this.#client(nearest, forwarded, forwardedAddress)
    // A proxy sets one of the two headers and may pass on the other as the client wrote it, so only what both say counts.
    return listed === undefined || this.#client(nearest, listed, plainAddress) === client ? client : nearest
  }

  #client(nearest: string, hops: string, addressIn: (hop: string) => string | undefined): string {
    let client = nearest
    for (let end = hops.length; end >= 0; ) {
      const start = end === 0 ? -1 : hops.lastIndexOf(',', end - 1)
      const reported = addressIn(hops.slice(start + 1, end).trim())
      // An unreadable hop ends the chain: what is left of it was not written by a trusted proxy.
      if (reported === undefined) return client
      client = reported
      if (!this.#isTrusted(client)) return client
      end = start
    }
    return client
  }

  #isTrusted(address: string | undefined): boolean {
    if (address === undefined || address === '') return false
    return this.#trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** An IP address in its one normal form; undefined for anything else. */
function normalAddress(text: string): string | undefined {
  if (isIPv4(text)) return text
  const address = MAPPED.exec(text)?.[1] ?? text
  const family = address.includes('%') ? 0 : isIP(address)
  if (family === 4) return address
  return family === 6 ? new SocketAddress({ address, family: 'ipv6' }).address : undefined
}

const WITH_PORT = /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/

/** The address in a hop of `X-Forwarded-For`; some proxies add the port. */
function plainAddress(hop: string): string | undefined {
  const [, bracketed, address] = WITH_PORT.exec(hop) ?? []
  return normalAddress(bracketed ?? address ?? hop)
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const PAIR = `${TOKEN}=(?:${TOKEN}|"[^"\\\\]*")`
const ELEMENT = new RegExp(`^${PAIR}(?: *; *${PAIR})*$`)
const FOR = /(?:^|;) *for=(?:"([^"]*)"|([^;"]*))/i

/** The address in a hop of `Forwarded` (RFC 7239). */
function forwardedAddress(hop: string): string | undefined {
  if (!ELEMENT.test(hop)) return undefined
  const [, quoted, token] = FOR.exec(hop) ?? []
  return plainAddress((quoted ?? token ?? '').trim())
}
