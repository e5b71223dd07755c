import { GatewayError } from '../../errors.ts'
import type { ServerDefinition } from '../../model/server.ts'
import type { Credentials } from '../http/credentials.ts'
import { askAdministrator } from '../../model/server.ts'
import type { ServerLabel } from '../protocol/errors.ts'
import type { ServerPool } from '../server.ts'
import { LoginFailure } from './login-record.ts'
import { type LoginParts, type OpenedLogin, ServerLogin } from './server-login.ts'

/** The logins at all servers behind URLs. */
export class ServerLogins {
  readonly #parts: LoginParts
  readonly #logins = new Map<string, { readonly key: string; readonly login: ServerLogin }>()
  readonly #listeners = new Set<(serverId: string) => void>()

  constructor(parts: LoginParts) {
    this.#parts = parts
  }

  /** The credentials for a server. Absent if its configuration has an Authorization header, or if it is a program. */
  credentials(definition: ServerDefinition): Credentials | undefined {
    return this.#of(definition)
  }

  /** The page on which a person logs in, while one is open. An expired one is replaced for the next caller. */
  linkOf(serverId: string): string | undefined {
    const login = this.#logins.get(serverId)?.login
    const link = login?.link
    if (link === undefined) login?.renewLink()
    return link
  }

  /** Why the last login or renewal failed, to be read after the server's name. */
  troubleOf(serverId: string): string | undefined {
    return this.#logins.get(serverId)?.login.trouble
  }

  /** A page on which a person logs in; absent if the server needs none, or cannot have one. */
  async begin(serverId: string): Promise<string | undefined> {
    const login = this.#logins.get(serverId)?.login
    return login?.isWanted === true ? login.begin() : undefined
  }

  /** Forgets the login at a server. */
  async forget(serverId: string): Promise<void> {
    const login = this.#logins.get(serverId)?.login
    await (login === undefined ? this.#parts.store.remove(serverId) : login.forget())
    this.#notify(serverId)
  }

  /**
   * Binds the login of a link to the browser that opened it.
   * @param link the parameter of the link
   * @throws LoginFailure
   */
  async open(link: readonly string[]): Promise<OpenedLogin> {
    const { login, secret } = this.#named(link)
    return login.open(secret)
  }

  /**
   * Finishes a login with the parameters of the redirect from the authorization server.
   * @param browserOf the secret that the browser has for the login at a server; empty without one
   * @returns the name of the server
   * @throws LoginFailure
   */
  async finish(answer: URLSearchParams, browserOf: (serverId: string) => string): Promise<string> {
    const { login } = this.#named(answer.getAll('state'))
    const { id, name } = login.server
    await login.finish(answer, browserOf(id))
    this.#notify(id)
    return name
  }

  /** The login that a link or a state names, and the secret in it. @throws LoginFailure */
  #named(texts: readonly string[]): { readonly login: ServerLogin; readonly secret: string } {
    const [id = '', secret = ''] = texts.length === 1 ? (texts[0] ?? '').split('.') : []
    const login = this.#logins.get(Buffer.from(id, 'base64url').toString())?.login
    if (login === undefined) throw new LoginFailure('this login was never begun here')
    return { login, secret }
  }

  /** Called when a login was finished or forgotten, so that the server can be restarted. */
  onChange(listener: (serverId: string) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** All connections to a server share one login, until its address or its login settings change. */
  #of({ id, name, transport }: ServerDefinition): ServerLogin | undefined {
    if (transport.kind === 'stdio' || hasAuthorization(transport.headers)) return undefined
    const key = JSON.stringify([name, transport.url, transport.auth])
    const known = this.#logins.get(id)
    if (known?.key === key) return known.login
    const login = new ServerLogin({ id, name }, transport, this.#parts)
    this.#logins.set(id, { key, login })
    return login
  }

  #notify(serverId: string): void {
    for (const listener of this.#listeners) listener(serverId)
  }
}

function hasAuthorization(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}

/**
 * The failure of a server that needs a login, as clients read it. It has no link: the login decides as whom everybody uses the
 * server, so it belongs to administrators.
 */
export function needsAdministrator(
  failure: GatewayError,
  { id, name }: ServerLabel,
  logins: Pick<ServerLogins, 'troubleOf'> | undefined,
): GatewayError {
  const trouble = logins?.troubleOf(id)
  const reason =
    trouble === undefined ? `"${name}" needs a login by an administrator` : `"${name}" cannot be used: ${trouble}`
  return new GatewayError(failure.code, { server: name, reason, remedy: askAdministrator(id) }, { cause: failure })
}

/** Begins and ends logins for the admin API. */
export function loginControl(logins: ServerLogins, pool: ServerPool) {
  return {
    /** The page on which a person logs in; absent if the server requires no login. */
    async begin(serverId: string): Promise<string | undefined> {
      // An idle server has not been asked yet whether it requires one.
      if (pool.get(serverId)?.status().state === 'idle')
        await pool
          .get(serverId)
          ?.start()
          .catch(() => undefined)
      return logins.begin(serverId)
    },
    forget: (serverId: string): Promise<void> => logins.forget(serverId),
  }
}

/** Restarts a server after a login or logout. @returns a function that ends this */
export function restartOnLogin(logins: ServerLogins, pool: ServerPool): () => void {
  return logins.onChange((serverId) => {
    const server = pool.get(serverId)
    // The server's state shows the result.
    if (server?.definition.enabled === true) void server.restart().catch(() => undefined)
  })
}
