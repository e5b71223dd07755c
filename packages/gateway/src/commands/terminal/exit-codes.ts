import type { Problem } from '@tooldex/contract/admin'
import { GatewayError } from '../../errors.ts'

/** What the program's exit code says. Documented in `docs/reference/commands.md`. */
export const EXIT = {
  ok: 0,
  /** Something went wrong, or the tool said that it failed. */
  failed: 1,
  /** The command line or the configuration is not right. */
  usage: 2,
  /** There is no such tool, server or file. */
  notFound: 3,
  /** A server, the database or the gateway cannot be reached or started, or does not answer in time. */
  unavailable: 4,
} as const

const USAGE: ReadonlySet<string> = new Set([
  ...['CONFIG_INVALID', 'INVALID_ARGUMENTS', 'REQUEST_INVALID', 'NAME_TAKEN', 'FILE_MANAGED'],
])

/** The exit code of a failure. */
export function exitCodeOf(error: unknown): number {
  const isKnown = error instanceof GatewayError || error instanceof AdminProblem
  return isKnown ? exitCodeOfCode(error.code) : EXIT.failed
}

/** The exit code of one of our error codes, which may come from a newer gateway than this program. */
export function exitCodeOfCode(code: string): number {
  if (USAGE.has(code)) return EXIT.usage
  if (code.endsWith('_NOT_FOUND') || code === 'TOOL_AMBIGUOUS' || code === 'TOOL_DISABLED') return EXIT.notFound
  const isElsewhere = code.startsWith('SERVER_') || code === 'STORE_UNAVAILABLE' || code === 'NOT_RUNNING'
  return isElsewhere ? EXIT.unavailable : EXIT.failed
}

/** What the admin API refused, and why; the code may be of a newer gateway than this program. */
export class AdminProblem extends Error {
  override readonly name = 'AdminProblem'
  readonly code: string
  /** Everything that is wrong, one sentence each. */
  readonly problems: readonly string[]

  constructor({ code, detail, problems = [] }: Problem) {
    super(detail)
    this.code = code
    this.problems = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  }
}
