import type { JsonObject } from '@tooldex/http-kit/json'
import type { Template } from './template.ts'

/** A fact that the user should know about a server or a file: nothing is dropped silently. */
export interface Note {
  readonly code: string
  readonly detail?: unknown
}

/** A value that the client asks the user for. */
export interface InputSpec {
  readonly id: string
  readonly kind: string
  readonly secret: boolean
  readonly default?: string
  readonly description?: string
}

/** A server as a client's file declares it. */
export interface ReadServer {
  readonly name: string
  readonly transport: 'stdio' | 'http' | 'sse'
  readonly command?: Template
  readonly args: readonly Template[]
  readonly env: ReadonlyMap<string, Template>
  readonly envFile?: Template
  readonly cwd?: Template
  readonly url?: Template
  readonly headers: ReadonlyMap<string, Template>
  readonly auth?: { readonly clientId?: string; readonly clientSecret?: string; readonly scope?: string }
  readonly enabled: boolean
  readonly timeoutMs?: number
  readonly startupTimeoutMs?: number
  readonly tools?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] }
  readonly scope?: 'user' | 'local'
  /** The project of a `local` server. */
  readonly project?: string
  readonly inputs: readonly InputSpec[]
  /** Keys of our own configuration, and values of the wrong shape, which the check of the configuration reports. */
  readonly asIs: JsonObject
  readonly notes: readonly Note[]
}
