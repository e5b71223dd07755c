import type { Environment } from '../config/environment.ts'
import type { Assemble, StandardStreams } from './gateway.ts'
import type { Terminal } from './terminal.ts'

/** What every command is handed, so that none reaches for the process. */
export interface CommandContext {
  readonly environment: Environment
  readonly terminal: Terminal
  readonly version: string
  /** Loaded only by commands that need it: it is most of the program. */
  readonly loadAssemble: () => Promise<Assemble>
  readonly fetch: typeof fetch
  readonly now: () => number
  readonly signals: Signals
  readonly streams: StandardStreams
}

/** Signals that ask the program for something. */
export interface Signals {
  /** Resolves when the program is asked to stop, with the name of the signal. */
  stop(): Promise<string>
  /** Calls back when it is asked to read its configuration again. */
  onReload(listener: () => void): () => void
}

/** Options that all commands have. */
export interface CommonOptions {
  readonly config?: string
  readonly data?: string
  readonly database?: string
  readonly json?: boolean
}
