import { BlockList, isIP, isIPv6 } from 'node:net'

const LOOPBACK = blockList(['127.0.0.0/8', '::1/128'])
/** Addresses that mean something only where the gateway stands: what a stranger could not reach by himself. */
const INTERNAL = blockList([
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10', '0.0.0.0/8'],
  ...['::1/128', '::/128', 'fc00::/7', 'fe80::/10'],
])
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** Whether a host, as a URL has it, is this machine by name. */
export function isLoopbackHost(hostname: string): boolean {
  const host = bare(hostname)
  return host === 'localhost' || (isIP(host) !== 0 && includes(LOOPBACK, host))
}

/** Whether an address is of this machine or its private network. */
export function isInternalAddress(address: string): boolean {
  return includes(INTERNAL, bare(address))
}

/** A host without the brackets that a URL puts around an IPv6 address. */
export function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function includes(list: BlockList, address: string): boolean {
  const mapped = MAPPED.exec(address)?.[1]
  if (mapped !== undefined) return list.check(mapped, 'ipv4')
  // As a URL writes a mapped address: hexadecimal, the same danger.
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
