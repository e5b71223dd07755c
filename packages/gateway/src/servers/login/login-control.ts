import type { ServerPool } from '../server.ts'
import type { ServerLogins } from './server-logins.ts'

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
