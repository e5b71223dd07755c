import type { DialectName, ResolvedDisclosure } from '../model/settings.ts'
import type { Dialect } from './dialect.ts'
import { EXECUTE_READ_TOOL_NAME, EXECUTE_TOOL_NAME } from './execute-tool.ts'
import { mcproxyDialect } from './mcproxy.ts'
import { metamcpDialect } from './metamcp.ts'
import { READ_RESULT_TOOL_NAME } from './read-result-tool.ts'
import { routerDialect } from './router.ts'

const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  router: routerDialect,
  mcproxy: mcproxyDialect,
  metamcp: metamcpDialect,
}

/** The dialect of that name. */
export function dialectNamed(name: DialectName): Dialect {
  return DIALECTS[name]
}

/** Names that no exposed tool of a server may have, in any dialect. */
export const RESERVED_TOOL_NAMES: ReadonlySet<string> = new Set([
  EXECUTE_TOOL_NAME,
  EXECUTE_READ_TOOL_NAME,
  READ_RESULT_TOOL_NAME,
  ...Object.values(DIALECTS).map((dialect) => dialect.searchToolName),
])

/** A tool of the gateway itself. */
export type OwnToolKind = 'search' | 'execute' | 'execute-read' | 'read-result'

/** The gateway's own tool with this name in a dialect, if any. */
export function ownToolCalled(
  name: string,
  dialect: Dialect,
  { executeVariants }: Pick<ResolvedDisclosure, 'executeVariants'>,
): OwnToolKind | undefined {
  if (name === dialect.searchToolName) return 'search'
  if (name === EXECUTE_TOOL_NAME) return 'execute'
  if (name === READ_RESULT_TOOL_NAME) return 'read-result'
  return executeVariants && name === EXECUTE_READ_TOOL_NAME ? 'execute-read' : undefined
}
