import { isIP } from 'node:net'
import type pg from 'pg'
import { GatewayError } from '../../errors.ts'
import type { PoolFigures } from '../../model/store.ts'

const ADDRESS = /^(postgres(?:ql)?:\/\/)(?:([^@/?#]*)@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?$/s

/**
 * The addresses of the hosts in an address of several: `postgres://h1:5432,h2:5432/name`, or `?host=h1,h2&port=5432,5433`.
 * @throws GatewayError STORE_UNAVAILABLE if it cannot be read
 */
export function hostUrls(url: string): readonly string[] {
  const [, scheme, login, inAddress = '', path = '', query = ''] = ADDRESS.exec(url) ?? []
  if (scheme === undefined) throw unreadable(url, 'it is no address of PostgreSQL')
  const { host: inQuery, port: portsInQuery, target_session_attrs: attributes, ...rest } = parametersOf(query)
  if (attributes !== undefined && !WRITABLE.has(attributes)) {
    throw unreadable(url, `target_session_attrs=${attributes} asks for a server that the gateway cannot write to`)
  }
  const hosts = (inQuery ?? inAddress).split(',')
  const ports = portsInQuery?.split(',') ?? []
  const urlOf = (host: string, at: number): string => {
    const port = ports.length === 1 ? ports[0] : ports[at]
    // The driver reads the folder of a socket from the query.
    const isSocket = host.startsWith('/')
    const name = isIP(host) === 6 ? `[${host}]` : host
    const authority = isSocket ? '' : port === undefined || /:\d+$/.test(name) ? name : `${name}:${port}`
    const own = isSocket ? { ...rest, host, ...(port !== undefined && { port }) } : rest
    const parameters = Object.entries(own).map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
    const withLogin = login === undefined ? authority : `${login}@${authority}`
    return `${scheme}${withLogin}${path}${parameters.length > 0 ? `?${parameters.join('&')}` : ''}`
  }
  const urls = hosts.length === 1 ? [url] : hosts.map(urlOf)
  if (hosts.some((host) => host === '') && hosts.length > 1) throw unreadable(url, 'a host in it has no name')
  if (!urls.every((each) => URL.canParse(each.replace('@/', '@socket/')))) {
    throw unreadable(url, 'a host, port or password in it is not valid')
  }
  return urls.map(withVerification)
}

/** The driver verifies certificates in all of these modes, and says so on standard error at every start unless the mode does. */
function withVerification(url: string): string {
  if (url.includes('uselibpqcompat=true')) return url
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full')
}

/** Every host is asked whether it can be written to, so these say nothing new. */
const WRITABLE: ReadonlySet<string> = new Set(['any', 'read-write', 'primary'])

function parametersOf(query: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query))
}

/** The address without user, password and parameters. */
export function placeOf(url: string): string {
  const [, , , host = '', path = '', query = ''] = ADDRESS.exec(url) ?? []
  return `postgres://${host === '' ? (parametersOf(query)['host'] ?? '') : host}${path}`
}

function unreadable(url: string, reason: string): GatewayError {
  return new GatewayError('STORE_UNAVAILABLE', {
    place: placeOf(url),
    reason: `the address of the database cannot be used: ${reason}`,
    remedy:
      'Write it as postgres://user:password@host:5432/name, several hosts as host1:5432,host2:5432, and special characters of the password as %40.',
  })
}

/** Hands out connections to the host that can be written to: the one that answered last, then the others. */
export class PostgresHosts {
  readonly #pools: readonly pg.Pool[]
  #writable = new WeakSet<pg.PoolClient>()
  #current = 0
  #acquired = 0
  #waitedMs = 0

  constructor(pools: readonly pg.Pool[]) {
    this.#pools = pools
  }

  /** The position of the host in use. */
  get current(): number {
    return this.#current
  }

  get figures(): PoolFigures {
    const sum = (of: (pool: pg.Pool) => number): number => this.#pools.reduce((all, pool) => all + of(pool), 0)
    return {
      busy: sum(({ totalCount, idleCount }) => totalCount - idleCount),
      idle: sum(({ idleCount }) => idleCount),
      waiting: sum(({ waitingCount }) => waitingCount),
      ...{ acquired: this.#acquired, waitedMs: this.#waitedMs },
    }
  }

  /** A connection. Throws the error of the last host that was tried. */
  async connect(): Promise<pg.PoolClient> {
    const since = performance.now()
    try {
      return await this.#connect()
    } finally {
      this.#acquired += 1
      this.#waitedMs += performance.now() - since
    }
  }

  /** After a failover the same host may be read-only: its connections are checked again. */
  checkAgain(): void {
    this.#writable = new WeakSet()
  }

  async end(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end()))
  }

  async #connect(): Promise<pg.PoolClient> {
    let failure: unknown
    for (let tried = 0; tried < this.#pools.length; tried++) {
      const at = this.#current
      try {
        const client = await this.#pools[at]?.connect()
        if (client !== undefined && (await this.#canWrite(client))) return client
        client?.release(true)
        failure = Object.assign(new Error('the server is read-only'), { code: '25006', severity: 'ERROR' })
      } catch (error) {
        failure = error
      }
      // Another transaction may have moved on already.
      if (this.#current === at) this.#current = (at + 1) % this.#pools.length
    }
    throw failure
  }

  async #canWrite(client: pg.PoolClient): Promise<boolean> {
    if (this.#pools.length === 1 || this.#writable.has(client)) return true
    try {
      const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only')
      if (rows[0]?.transaction_read_only !== 'off') return false
    } catch (error) {
      client.release(true)
      throw error
    }
    this.#writable.add(client)
    return true
  }
}
