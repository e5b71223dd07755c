import { pino } from 'pino'
import { hideSecrets, maskTokens } from './hide-secrets.ts'
import { prettyLine } from './pretty-line.ts'

/** Beyond this many characters that nobody reads, log lines are dropped rather than requests kept waiting. */
const MOST_UNWRITTEN = 4 * 1024 * 1024

/** Writes a line: facts as fields, and a sentence without them. Arguments, results and secrets belong in neither. */
export type Log = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** Where the program tells what it does. Handed to who needs it; there is no global one. */
export interface Logger {
  readonly debug: Log
  readonly info: Log
  readonly warn: Log
  readonly error: Log
  /** A logger whose every line has these fields. */
  child(fields: Readonly<Record<string, unknown>>): Logger
  /** Whether lines of the level are written: for fields that are costly to gather. */
  isLevelEnabled(level: 'debug' | 'info' | 'warn' | 'error'): boolean
}

/** How log lines look and where they go. */
export interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** For people rather than programs. */
  readonly pretty?: boolean
  readonly colours?: boolean
  /** Where lines go; standard error if absent, because standard output may carry the protocol. */
  readonly write?: (line: string) => void
}

/** A logger, and the way to write out what it still holds before the program ends. */
export interface OpenLogger {
  readonly logger: Logger
  flush(): void
}

/** Opens a logger whose lines pass through one place that hides secrets. */
export function openLogger(options: LoggerOptions): OpenLogger {
  const sink = options.write === undefined ? standardError() : { write: options.write, flush: () => {} }
  const render = options.pretty === true ? (line: string) => prettyLine(line, options.colours === true) : String
  const logger: Logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: hideSecrets },
    },
    { write: (line: string) => sink.write(render(maskTokens(line))) },
  )
  return { logger, flush: sink.flush }
}

/** A logger that says nothing. */
export function silentLogger(): Logger {
  return openLogger({ level: 'silent', write: () => {} }).logger
}

function standardError(): { write: (line: string) => void; flush: () => void } {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: MOST_UNWRITTEN })
  // A reader that went away is no reason to fail.
  destination.on('error', () => {})
  return {
    write: (line) => void destination.write(line),
    flush: () => {
      try {
        destination.flushSync()
      } catch {
        // Not yet open: nothing was written either.
      }
    },
  }
}
