import { GatewayError } from '../errors.ts'

/** What the program's exit code says. Documented in `docs/reference/commands.md`. */
export const EXIT = {
  ok: 0,
  /** Something went wrong, or the tool said that it failed. */
  failed: 1,
  /** The command line or the configuration is not right. */
  usage: 2,
  /** There is no such tool, server or file. */
  notFound: 3,
  /** A server cannot be reached or started, or does not answer in time. */
  unavailable: 4,
} as const

/** The exit code of a failure. */
export function exitCodeOf(error: unknown): number {
  return error instanceof GatewayError ? exitCodeOfCode(error.code) : EXIT.failed
}

/** The exit code of one of our error codes, which may come from a newer gateway than this program. */
export function exitCodeOfCode(code: string): number {
  if (code === 'CONFIG_INVALID' || code === 'INVALID_ARGUMENTS') return EXIT.usage
  if (code.endsWith('_NOT_FOUND') || code === 'TOOL_AMBIGUOUS' || code === 'TOOL_DISABLED') return EXIT.notFound
  return code.startsWith('SERVER_') ? EXIT.unavailable : EXIT.failed
}
