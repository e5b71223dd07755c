/**
 * Clients that keep the tools of a server out of the context and search them themselves, by `clientInfo`. Only what was seen
 * counts: a client that loads every definition after all would pay for the whole catalog, while meta-tools are cheap for all.
 *
 * - Claude Code: a run of 2.1.325 deferred every MCP tool, be it one of eight, also with a model of another vendor, and listed
 *   tools with `anthropic/alwaysLoad` directly. From 2.1.7 on it depended on the model, the provider and the share of the
 *   context window.
 *
 * These search, too, but under conditions that `clientInfo` does not tell:
 *
 * - Codex, Copilot CLI and VS Code: for some models only.
 * - Qwen Code: its version in `clientInfo` is always 0.0.1.
 * - Cursor: its version in `clientInfo` is not that of the program.
 */
const SEARCHES_FROM: ReadonlyMap<string, Version> = new Map([['claude-code', [2, 1, 325]]])

/** Name and version as a client states them. */
export interface StatedClient {
  readonly clientName?: string
  readonly clientVersion?: string
}

type Version = readonly [major: number, minor: number, patch: number]

/** Whether a client is known to keep tools out of the context until it has found them. */
export function searchesNatively({ clientName, clientVersion }: StatedClient): boolean {
  const from = SEARCHES_FROM.get(clientName?.toLowerCase() ?? '')
  const version = readVersion(clientVersion)
  return from !== undefined && version !== undefined && !isBefore(version, from)
}

/** Versions before a release (`2.1.325-beta.1`) count as that release. */
function readVersion(text: string | undefined): Version | undefined {
  const match = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:[-+ ].*)?$/.exec(text ?? '')
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3])]
}

function isBefore(one: Version, other: Version): boolean {
  const at = one.findIndex((part, index) => part !== other[index])
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0)
}
