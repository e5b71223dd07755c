import type { ListedTool } from '../../../exposure/listed-tool.ts'
import type { Lister } from './request-handler.ts'

/**
 * Clients that do not show their model the `instructions` of a server, by `clientInfo.name` in lower case, with the version
 * that was seen. No version of them is known to do so; one that does shows one line twice.
 *
 * - Cline and Continue: runs of the command line, and the source of the extensions.
 * - Zed: its source.
 * - Codex and Copilot CLI: runs. Instructions describe the server in their own search tool alone, which they do not use for a
 *   gateway whose tools are listed directly, as `tooldex setup` configures them.
 */
const UNREAD: ReadonlyMap<string, string> = new Map([
  ['@cline/core', '3.0.65'],
  ['cline', '4.1.13'],
  ['continue-cli-client', '1.5.47'],
  ['continue-client', '2026-06'],
  ['zed', '2026-08'],
  ['codex-mcp-client', '0.166.0'],
  ['copilot-cli', '1.0.102'],
  ['github-copilot-developer', '1.0.78'],
])

/** Whether a client is known to ignore the instructions that it gets. */
function ignoresInstructions(clientInfo: Readonly<Record<string, unknown>> | undefined): boolean {
  const name = clientInfo?.['name']
  return typeof name === 'string' && UNREAD.has(name.toLowerCase())
}

/** What the sessions of clients have read: it stays the same, or comes once. */
export class SessionReading {
  readonly #lines = new Map<string, string>()
  readonly #told = new Map<string, Set<string>>()

  /**
   * Keeps the line about the servers for a session whose client ignores instructions: the description of its search tool has
   * that line for as long as the session lasts.
   */
  keepLine({ sessionId, clientInfo }: Pick<Lister, 'sessionId' | 'clientInfo'>, line: string | undefined): void {
    if (sessionId === undefined || line === undefined || !ignoresInstructions(clientInfo)) return
    if (!this.#lines.has(sessionId)) this.#lines.set(sessionId, line)
  }

  /** The list with that line; the same list for other clients, and without a session. */
  withLine(tools: readonly ListedTool[], searchToolName: string, sessionId: string | undefined): readonly ListedTool[] {
    const line = this.#lines.get(sessionId ?? '')
    if (line === undefined) return tools
    return tools.map((tool) =>
      tool.name === searchToolName ? { ...tool, description: `${String(tool['description'])} ${line}` } : tool,
    )
  }

  /** Servers whose instructions a session has had; undefined without a session. */
  told(sessionId: string | undefined): ReadonlySet<string> | undefined {
    return sessionId === undefined ? undefined : (this.#told.get(sessionId) ?? new Set())
  }

  tell(sessionId: string | undefined, serverIds: readonly string[]): void {
    if (sessionId === undefined || serverIds.length === 0) return
    this.#told.set(sessionId, new Set([...(this.#told.get(sessionId) ?? []), ...serverIds]))
  }

  forget(sessionId: string): void {
    this.#lines.delete(sessionId)
    this.#told.delete(sessionId)
  }
}
