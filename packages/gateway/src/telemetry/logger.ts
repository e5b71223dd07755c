import { SECRET_MASK } from '@tooldex/contract'
import { cleanLines } from '@tooldex/http-kit/clean-text'
import pc from 'picocolors'
import { pino } from 'pino'
import { maskShapes } from '../model/server-secrets.ts'

/** If more unread characters wait than this, log lines are dropped, so that requests do not wait. */
const MOST_UNWRITTEN = 4 * 1024 * 1024

/** Writes a line: facts as fields, and a sentence without them. Neither may contain arguments, results or secrets. */
export type Log = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** The log of the program. It is passed to its users; there is no global one. */
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
interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** For people rather than programs. */
  readonly pretty?: boolean
  readonly colours?: boolean
  /** Where lines go; standard error if absent, because standard output may carry the protocol. */
  readonly write?: (line: string) => void
}

/** A logger, and a function that writes its buffered lines before the program ends. */
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

/** A logger that writes nothing. */
export function silentLogger(): Logger {
  return openLogger({ level: 'silent', write: () => {} }).logger
}

function standardError(): { write: (line: string) => void; flush: () => void } {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: MOST_UNWRITTEN })
  // A closed standard error must not end the program.
  destination.on('error', () => {})
  return {
    write: (line) => void destination.write(line),
    flush: () => {
      try {
        destination.flushSync()
      } catch {
        // The stream is not open yet, so nothing was written.
      }
    },
  }
}

const HEAD = new Set(['level', 'time', 'msg', 'err'])

/** A log line for people: time, level, sentence, fields; a stack below. */
function prettyLine(line: string, colours: boolean): string {
  const paint = pc.createColors(colours)
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>
  const tints: Readonly<Record<string, (text: string) => string>> = {
    debug: paint.dim,
    info: paint.green,
    warn: paint.yellow,
    error: paint.red,
  }
  const tint = tints[String(level)] ?? String
  const shown = Object.entries(fields).filter(([key]) => !HEAD.has(key))
  const facts = shown.map(([key, value]) => `${key}=${plain(value)}`).join(' ')
  const head = `${paint.dim(String(time).slice(11, 23))} ${tint(String(level).padEnd(5))} ${cleanLines(textOf(msg))}`
  return `${facts === '' ? head : `${head}  ${paint.dim(facts)}`}\n${stackOf(err)}`
}

function plain(value: unknown): string {
  const text = typeof value === 'string' && !/[\s"=]/.test(value) ? value : JSON.stringify(value)
  return cleanLines(text ?? String(value))
}

function stackOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const { stack, message } = error as { stack?: unknown; message?: unknown }
  return `${cleanLines(textOf(stack ?? message)).replace(/^/gm, '    ')}\n`
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Fields whose content is never logged. */
const HIDDEN = new Set([
  ...['authorization', 'cookie', 'setcookie', 'token', 'tokens', 'accesstoken', 'refreshtoken', 'apikey'],
  ...['secret', 'password', 'passwd', 'credentials', 'env', 'environment', 'headers'],
  ...['arguments', 'args', 'argv', 'params', 'result', 'results', 'content', 'structuredcontent', 'body', 'meta'],
])
const DEEPEST = 6
const MOST_ENTRIES = 100
const CENSOR = '[hidden]'

/** A copy of log fields without secrets, at any depth. */
function hideSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  return hideIn(fields, 0)
}

/** A text without recognisable secrets, such as our tokens, bearer headers, and queries of URLs. */
function maskTokens(text: string): string {
  return maskShapes(text).replaceAll(SECRET_MASK, CENSOR)
}

function hideIn(fields: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .slice(0, MOST_ENTRIES)
      .map(([key, value]) => [key, isHidden(key) ? CENSOR : visible(value, depth + 1)]),
  )
}

function visible(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  // Kept whole: the logger's own serializer makes type, message and stack of it.
  if (value instanceof Error) return depth === 1 ? value : { type: value.name, message: value.message }
  if (depth >= DEEPEST) return '[deep]'
  if (value instanceof Date) return value
  if (value instanceof Map || value instanceof Set) return `[${value.size} entries]`
  if (Array.isArray(value)) return value.slice(0, MOST_ENTRIES).map((entry) => visible(entry, depth + 1))
  return hideIn(value, depth)
}

const isHidden = (key: string): boolean => HIDDEN.has(key.toLowerCase().replace(/[-_]/g, ''))
