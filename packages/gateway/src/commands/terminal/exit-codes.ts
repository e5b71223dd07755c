import type { Problem } from '@tooldex/contract/admin'
import { GatewayError } from '../../errors.ts'

/** Exit codes of the program. Documented in `docs/reference/commands.md`. */
export const EXIT = {
  ok: 0,
  /** The command failed, or the tool reported a failure. */
  failed: 1,
  /** The command line or the configuration is invalid. */
  usage: 2,
  /** The tool, server or other entry does not exist. */
  notFound: 3,
  /** A server, the database or the gateway cannot be reached or started, or timed out. */
  unavailable: 4,
  /** Another gateway runs on the data folder. */
  running: 5,
} as const

const USAGE: ReadonlySet<string> = new Set([
  ...['CONFIG_INVALID', 'INVALID_ARGUMENTS', 'REQUEST_INVALID', 'NAME_TAKEN', 'FILE_MANAGED'],
])

/** The exit code of a failure. */
export function exitCodeOf(error: unknown): number {
  const isKnown = error instanceof GatewayError || error instanceof AdminProblem
  return isKnown ? exitCodeOfCode(error.code) : EXIT.failed
}

/** The exit code for an error code, which may come from a newer gateway than this program. */
export function exitCodeOfCode(code: string): number {
  if (USAGE.has(code)) return EXIT.usage
  if (code === 'ALREADY_RUNNING') return EXIT.running
  if (code.endsWith('_NOT_FOUND') || code === 'TOOL_AMBIGUOUS' || code === 'TOOL_DISABLED') return EXIT.notFound
  const isElsewhere =
    code.startsWith('SERVER_') || /^(?:STORE|REGISTRY)_UNAVAILABLE$/.test(code) || code === 'NOT_RUNNING'
  return isElsewhere ? EXIT.unavailable : EXIT.failed
}

/** An error of the admin API. Its code may come from a newer gateway than this program. */
export class AdminProblem extends Error {
  override readonly name = 'AdminProblem'
  readonly code: string
  /** One sentence per problem. */
  readonly problems: readonly string[]

  constructor({ code, detail, problems = [] }: Problem) {
    super(detail)
    this.code = code
    this.problems = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  }
}
