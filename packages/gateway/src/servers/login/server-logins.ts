import { GatewayError } from '../../errors.ts'
import type { ServerDefinition } from '../../model/server.ts'
import type { Credentials } from '../http/credentials.ts'
import type { ServerLabel } from '../protocol/errors.ts'
import type { ServerPool } from '../server.ts'
import { LoginFailure } from './login-record.ts'
import { type LoginParts, ServerLogin } from './server-login.ts'

/** The logins at all servers behind URLs. */
export class ServerLogins {
  readonly #parts: LoginParts
  readonly #logins = new Map<string, { readonly key: string; readonly login: ServerLogin }>()
  readonly #listeners = new Set<(serverId: string) => void>()

  constructor(parts: LoginParts) {
    this.#parts = parts
  }

  /** Who we are for a server. Absent where it gets an Authorization header from its configuration, or is a program. */
  credentials(definition: ServerDefinition): Credentials | undefined {
    return this.#of(definition)
  }

  /** The page on which a person logs in, while one is open. One that is over is replaced for the next who asks. */
  linkOf(serverId: string): string | undefined {
    const login = this.#logins.get(serverId)?.login
    const link = login?.link
    if (link === undefined) login?.renewLink()
    return link
  }

  /** Why the last attempt to log in or to renew came to nothing, to be read after the server's name. */
  troubleOf(serverId: string): string | undefined {
    return this.#logins.get(serverId)?.login.trouble
  }

  /** A page on which a person logs in; absent where the server needs none, or cannot have one. */
  async begin(serverId: string): Promise<string | undefined> {
    const login = this.#logins.get(serverId)?.login
    return login?.isWanted === true ? login.begin() : undefined
  }

  /** Forgets the login at a server. */
  async forget(serverId: string): Promise<void> {
    const login = this.#logins.get(serverId)?.login
    await (login === undefined ? this.#parts.store.remove(serverId) : login.forget())
    this.#tell(serverId)
  }

  /**
   * Finishes a login with what an authorization server sent a person back with.
   * @returns the name of the server
   * @throws LoginFailure
   */
  async finish(answer: URLSearchParams): Promise<string> {
    const state = answer.getAll('state')
    const serverId = Buffer.from(state[0]?.split('.')[0] ?? '', 'base64url').toString()
    const login = state.length === 1 ? this.#logins.get(serverId)?.login : undefined
    if (login === undefined) throw new LoginFailure('this login was never begun here')
    await login.finish(answer)
    this.#tell(serverId)
    return login.server.name
  }

  /** Told when a login was finished or forgotten: whoever runs the server starts it anew. */
  onChange(listener: (serverId: string) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** One for all connections to a server; another one when its address or its login settings change. */
  #of({ id, name, transport }: ServerDefinition): ServerLogin | undefined {
    if (transport.kind === 'stdio' || hasAuthorization(transport.headers)) return undefined
    const key = JSON.stringify([name, transport.url, transport.auth])
    const known = this.#logins.get(id)
    if (known?.key === key) return known.login
    const login = new ServerLogin({ id, name }, transport, this.#parts)
    this.#logins.set(id, { key, login })
    return login
  }

  #tell(serverId: string): void {
    for (const listener of this.#listeners) listener(serverId)
  }
}

function hasAuthorization(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}

/** The failure of a server that needs a login, with the page on which a person can do that, or why there is none. */
export function withLink(
  failure: GatewayError,
  { id, name }: ServerLabel,
  logins: Pick<ServerLogins, 'linkOf' | 'troubleOf'> | undefined,
): GatewayError {
  const loginUrl = logins?.linkOf(id)
  const trouble = logins?.troubleOf(id)
  if (loginUrl === undefined && trouble === undefined) return failure
  return new GatewayError(
    failure.code,
    {
      ...failure.details,
      ...(trouble !== undefined && { reason: `"${name}" cannot be used: ${trouble}` }),
      ...(loginUrl !== undefined && { loginUrl, remedy: `Log in at ${loginUrl}` }),
    },
    { cause: failure },
  )
}

/** Beginning and ending logins on somebody's word. */
export function loginControl(logins: ServerLogins, pool: ServerPool) {
  return {
    /** The page on which a person logs in; absent where the server asks for no login. */
    async begin(serverId: string): Promise<string | undefined> {
      // A server that waits to be called has not said yet whether it wants one.
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

/** Starts a server anew when somebody logged in or out; the function returned stops that. */
export function restartOnLogin(logins: ServerLogins, pool: ServerPool): () => void {
  return logins.onChange((serverId) => {
    const server = pool.get(serverId)
    // How it ends is in the server's state.
    if (server?.definition.enabled === true) void server.restart().catch(() => undefined)
  })
}
