import type { Edit, Step } from './edit-text.ts'
import { specOf } from './client-specs.ts'

/** The gateway as a client reaches it. */
export interface GatewayTarget {
  readonly url: string
  /** The secret of the client's token; undefined writes a reference to a variable in its place, if the client supports references. */
  readonly token: string | undefined
  /** The command line of this program, for clients that only start programs. */
  readonly program: readonly string[]
}

/** The name of our entry in every client: short, because clients add it to the names of tools. */
export const ENTRY_NAME = 'tooldex'

/** How each client writes the variable with the token. Clients without an entry have no variables. */
const TOKEN_VARIABLES: Readonly<Record<string, string>> = {
  'claude-code': '${TOOLDEX_TOKEN}',
  cursor: '${env:TOOLDEX_TOKEN}',
  vscode: '${env:TOOLDEX_TOKEN}',
  'gemini-cli': '$TOOLDEX_TOKEN',
  'qwen-code': '$TOOLDEX_TOKEN',
  'copilot-cli': '${TOOLDEX_TOKEN}',
  windsurf: '${env:TOOLDEX_TOKEN}',
  opencode: '{env:TOOLDEX_TOKEN}',
  'roo-code': '${env:TOOLDEX_TOKEN}',
  continue: '${{ secrets.TOOLDEX_TOKEN }}',
  amp: '${TOOLDEX_TOKEN}',
  other: '${TOOLDEX_TOKEN}',
}

/** Whether a client can read the token from a variable. */
export function hasTokenVariable(client: string): boolean {
  return client === 'codex' || TOKEN_VARIABLES[baseOf(client)] !== undefined
}

/** The change that writes the gateway into a file of a client. */
export function gatewayEdit(client: string, target: GatewayTarget): Edit {
  const id = baseOf(client)
  return { path: entryPath(client), value: entryOf(id, target) }
}

/** The path of our entry in a file of a client. */
export function entryPath(client: string): readonly Step[] {
  const at = specOf(client)?.at ?? ['mcpServers']
  return client === 'continue' ? [...at, { named: ENTRY_NAME }] : [...at, ENTRY_NAME]
}

function entryOf(client: string, { url, token, program }: GatewayTarget): Readonly<Record<string, unknown>> {
  const headers = { Authorization: `Bearer ${token ?? TOKEN_VARIABLES[client] ?? ''}` }
  switch (client) {
    case 'claude-code':
      // Without it Claude Code hides the tools behind a search of its own.
      return { type: 'http', url, headers, alwaysLoad: true }
    case 'claude-desktop': {
      const [command = 'tooldex', ...args] = program
      return { command, args, ...(token !== undefined && { env: { TOOLDEX_TOKEN: token } }) }
    }
    case 'codex':
      return {
        url,
        ...(token === undefined ? { bearer_token_env_var: 'TOOLDEX_TOKEN' } : { http_headers: headers }),
        omit_tools_from: ['deferred'],
      }
    case 'gemini-cli':
      return { url, type: 'http', headers }
    case 'qwen-code':
      return { httpUrl: url, headers, alwaysLoadTools: true }
    case 'copilot-cli':
      return { type: 'http', url, headers, tools: ['*'], deferTools: 'never' }
    case 'windsurf':
      return { serverUrl: url, headers }
    case 'devin':
      return { url, transport: 'http', headers }
    case 'opencode':
      return { type: 'remote', url, headers, oauth: false, timeout: 30_000 }
    case 'cline':
      return { type: 'streamableHttp', url, headers }
    case 'roo-code':
      return { type: 'streamable-http', url, headers }
    case 'vscode':
      return { type: 'http', url, headers }
    case 'continue':
      return { name: ENTRY_NAME, type: 'streamable-http', url, requestOptions: { headers } }
    case 'goose':
      return {
        enabled: true,
        type: 'streamable_http',
        name: ENTRY_NAME,
        description: '',
        uri: url,
        headers,
        timeout: 300,
      }
    default:
      return { url, headers }
  }
}

/** The changes that switch a server of a client off: by the means of the client, else its entry is taken out. */
export function switchOffEdit(client: string, path: readonly Step[], before: unknown): Edit {
  const { off } = specOf(client) ?? {}
  if (off === 'disabled') return { path: [...path, 'disabled'], value: true }
  if (off === 'enabled') {
    const isSecondShape = client === 'opencode' && before === 'mcp.servers'
    return isSecondShape ? { path: [...path, 'disabled'], value: true } : { path: [...path, 'enabled'], value: false }
  }
  return { path, value: undefined }
}

/** Whether an entry is ours: it points at this gateway, or starts this program. */
export function isOurEntry(
  { command, args = [], url }: { readonly command?: string; readonly args?: readonly string[]; readonly url?: string },
  gatewayUrl: string,
): boolean {
  if (url !== undefined) return URL.canParse(url) && new URL(url).origin === new URL(gatewayUrl).origin
  const words = [command ?? '', ...args]
  return words.includes('stdio') && words.some((word) => /(?:^|[\\/])tooldex(?:@[\w.-]+)?$/.test(word))
}

function baseOf(client: string): string {
  return specOf(client)?.id ?? client
}
