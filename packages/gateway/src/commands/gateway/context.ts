import type { Readable, Writable } from 'node:stream'
import type { AssembleOptions } from '../../assemble.ts'
import type { Environment } from '../../config/environment.ts'
import type { Gateway } from '../../gateway.ts'
import type { StrategySetting } from '../../model/settings.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Everything that a command needs from the process; tests bring their own. */
export interface CommandContext {
  readonly environment: Environment
  readonly terminal: Terminal
  readonly version: string
  /** Loads most of the program, so only commands that need a gateway call it. */
  readonly loadAssemble: () => Promise<Assemble>
  readonly fetch: typeof fetch
  readonly now: () => number
  /** When the program was started; absent where a command runs in another program. */
  readonly startedAt?: number
  readonly signals: Signals
  readonly streams: StandardStreams
  /** The command line that started this program, without its arguments. */
  readonly program?: readonly string[]
}

/** The signals that the program handles. */
export interface Signals {
  /** Resolves with the name of the first signal that asks the program to stop. */
  stop(): Promise<string>
  /** Resolves with the second one: do not wait any longer. */
  stopNow(): Promise<void>
  /** Calls back on each signal that asks for a reload of the configuration. */
  onReload(listener: () => void): () => void
}

/** The streams of a client over stdio. */
export interface StandardStreams {
  readonly input: Readable
  readonly output: Writable
}

/** The members of a gateway that commands use. */
export type CommandGateway = Pick<
  Gateway,
  | 'listen'
  | 'startServers'
  | 'serveStdio'
  | 'pool'
  | 'catalog'
  | 'models'
  | 'find'
  | 'call'
  | 'list'
  | 'held'
  | 'snippets'
  | 'signInCode'
  | 'requestsUnderWay'
  | 'drain'
  | 'stop'
>

/** Makes a gateway. */
export type Assemble = (options: AssembleOptions) => CommandGateway

/** A strategy of search. */
export type Strategy = Exclude<StrategySetting, null>
