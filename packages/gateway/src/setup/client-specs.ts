import type { FileFormat } from './parse-file.ts'
import type { VariableRules } from './template.ts'

type Kind = 'stdio' | 'http' | 'sse'

/** How a client writes a server. Keys that several clients share have the names of most of them. */
export interface ClientSpec {
  readonly id: string
  readonly title: string
  readonly format: FileFormat
  /** The path of the servers in the file. */
  readonly at: readonly string[]
  readonly rules: VariableRules
  readonly programKey?: string
  readonly envKey?: string
  /** The key of the working directory; undefined if the client has none. */
  readonly cwdKey?: string
  readonly hasEnvFile?: boolean
  /** Keys of an address; `by-type` is decided by `type` or `transport`. */
  readonly addresses: Readonly<Record<string, 'http' | 'sse' | 'by-type'>>
  /** An address without a type. */
  readonly untyped: 'http' | 'sse' | 'skipped'
  /** How the entry switches a server off. */
  readonly off?: 'disabled' | 'enabled'
  readonly allowKey?: string
  readonly denyKey?: string
  readonly approvalKey?: string
  /** The key of the time limit of a call, in milliseconds or seconds. */
  readonly timeout?: { readonly key: string; readonly unit: 1 | 1000; readonly fallback?: number }
  readonly startupTimeout?: { readonly key: string; readonly unit: 1 | 1000 }
  readonly eagerKey?: string
  /** Keys that have no effect in this client, though they have in others. */
  readonly ignored?: readonly string[]
  /** Keys that need no counterpart here. */
  readonly silent?: readonly string[]
  /** A program of a project file runs in the project folder. */
  readonly runsInProject?: boolean
  /** Project files are read in trusted folders only. */
  readonly trustsProjects?: boolean
}

/** The names that clients use for transports. */
export const TRANSPORT_TYPES: ReadonlyMap<string, Kind> = new Map([
  ['stdio', 'stdio'],
  ['local', 'stdio'],
  ['http', 'http'],
  ['streamable-http', 'http'],
  ['streamableHttp', 'http'],
  ['streamable_http', 'http'],
  ['STREAMABLE_HTTP', 'http'],
  ['STDIO', 'stdio'],
  ['remote', 'http'],
  ['sse', 'sse'],
  ['SSE', 'sse'],
])

const URL_ONLY = { url: 'by-type' } as const
const EDITOR_PLACES = ['userHome', 'workspaceFolder', 'workspaceFolderBasename', 'pathSeparator', '/'] as const
const SHELL_LIKE: VariableRules = { braced: true, fallback: true }

/** Every client whose files are read, by its id. */
export const CLIENT_SPECS: readonly ClientSpec[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    format: 'json',
    at: ['mcpServers'],
    rules: SHELL_LIKE,
    addresses: URL_ONLY,
    untyped: 'skipped',
    timeout: { key: 'timeout', unit: 1 },
    eagerKey: 'alwaysLoad',
    ignored: ['cwd', 'disabled', 'envFile', 'enabled'],
    runsInProject: true,
  },
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    format: 'json',
    at: ['mcpServers'],
    rules: {},
    addresses: {},
    untyped: 'skipped',
  },
  {
    id: 'cursor',
    title: 'Cursor',
    format: 'jsonc',
    at: ['mcpServers'],
    rules: { ...SHELL_LIKE, env: true, places: EDITOR_PLACES },
    cwdKey: 'cwd',
    hasEnvFile: true,
    addresses: URL_ONLY,
    untyped: 'http',
    allowKey: 'enabledTools',
  },
  {
    id: 'vscode',
    title: 'VS Code',
    format: 'jsonc',
    at: ['servers'],
    rules: { env: true, input: true, places: EDITOR_PLACES, unset: 'empty' },
    cwdKey: 'cwd',
    hasEnvFile: true,
    addresses: URL_ONLY,
    untyped: 'http',
    silent: ['dev', 'gallery'],
  },
  {
    id: 'codex',
    title: 'Codex',
    format: 'toml',
    at: ['mcp_servers'],
    rules: {},
    cwdKey: 'cwd',
    addresses: { url: 'http' },
    untyped: 'http',
    off: 'enabled',
    allowKey: 'enabled_tools',
    denyKey: 'disabled_tools',
    timeout: { key: 'tool_timeout_sec', unit: 1000 },
    startupTimeout: { key: 'startup_timeout_sec', unit: 1000 },
    eagerKey: 'omit_tools_from',
    trustsProjects: true,
  },
  {
    id: 'gemini-cli',
    title: 'Gemini CLI',
    format: 'jsonc',
    at: ['mcpServers'],
    rules: { ...SHELL_LIKE, dollar: true, unsetInEnv: 'empty' },
    cwdKey: 'cwd',
    addresses: { httpUrl: 'http', url: 'by-type' },
    untyped: 'http',
    allowKey: 'includeTools',
    denyKey: 'excludeTools',
    timeout: { key: 'timeout', unit: 1 },
    ignored: ['disabled'],
    trustsProjects: true,
  },
  {
    id: 'qwen-code',
    title: 'Qwen Code',
    format: 'jsonc',
    at: ['mcpServers'],
    rules: { braced: true, dollar: true },
    cwdKey: 'cwd',
    addresses: { httpUrl: 'http', url: 'sse' },
    untyped: 'sse',
    allowKey: 'includeTools',
    denyKey: 'excludeTools',
    timeout: { key: 'timeout', unit: 1 },
    eagerKey: 'alwaysLoadTools',
    ignored: ['type', 'disabled'],
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    format: 'jsonc',
    at: ['mcpServers'],
    rules: { env: true, file: true },
    addresses: { serverUrl: 'http', url: 'by-type' },
    untyped: 'http',
    off: 'disabled',
    denyKey: 'disabledTools',
  },
  {
    id: 'devin',
    title: 'Devin',
    format: 'jsonc',
    at: ['mcpServers'],
    rules: {},
    addresses: URL_ONLY,
    untyped: 'http',
    off: 'disabled',
  },
  {
    id: 'zed',
    title: 'Zed',
    format: 'jsonc',
    at: ['context_servers'],
    rules: {},
    addresses: { url: 'http' },
    untyped: 'http',
    off: 'enabled',
    timeout: { key: 'timeout', unit: 1000 },
    silent: ['settings'],
  },
  {
    id: 'opencode',
    title: 'opencode',
    format: 'jsonc',
    at: ['mcp'],
    rules: { curly: true, unset: 'empty' },
    envKey: 'environment',
    cwdKey: 'cwd',
    addresses: URL_ONLY,
    untyped: 'http',
    off: 'enabled',
    timeout: { key: 'timeout', unit: 1 },
  },
  {
    id: 'cline',
    title: 'Cline',
    format: 'json',
    at: ['mcpServers'],
    rules: { env: true, notInCommandLine: true },
    cwdKey: 'cwd',
    addresses: URL_ONLY,
    untyped: 'sse',
    off: 'disabled',
    approvalKey: 'autoApprove',
    timeout: { key: 'timeout', unit: 1000 },
  },
  {
    id: 'roo-code',
    title: 'Roo Code',
    format: 'json',
    at: ['mcpServers'],
    rules: { env: true, places: ['workspaceFolder'] },
    cwdKey: 'cwd',
    addresses: URL_ONLY,
    untyped: 'skipped',
    off: 'disabled',
    denyKey: 'disabledTools',
    approvalKey: 'alwaysAllow',
    timeout: { key: 'timeout', unit: 1000, fallback: 60_000 },
    silent: ['watchPaths'],
    runsInProject: true,
  },
  {
    id: 'continue',
    title: 'Continue',
    format: 'yaml',
    at: ['mcpServers'],
    rules: { secrets: true },
    cwdKey: 'cwd',
    addresses: URL_ONLY,
    untyped: 'http',
    startupTimeout: { key: 'connectionTimeout', unit: 1 },
    ignored: ['envFile'],
  },
  {
    id: 'goose',
    title: 'Goose',
    format: 'yaml',
    at: ['extensions'],
    rules: {},
    programKey: 'cmd',
    envKey: 'envs',
    addresses: { uri: 'by-type' },
    untyped: 'http',
    off: 'enabled',
    allowKey: 'available_tools',
    timeout: { key: 'timeout', unit: 1000 },
  },
  {
    id: 'junie',
    title: 'Junie',
    format: 'json',
    at: ['mcpServers'],
    rules: {},
    addresses: URL_ONLY,
    untyped: 'http',
  },
  {
    id: 'jetbrains-ai',
    title: 'JetBrains AI Assistant',
    format: 'json',
    at: ['mcpServers'],
    rules: {},
    cwdKey: 'workingDirectory',
    addresses: URL_ONLY,
    untyped: 'http',
  },
  {
    id: 'copilot-cli',
    title: 'Copilot CLI',
    format: 'jsonc',
    at: ['mcpServers'],
    rules: { ...SHELL_LIKE, dollar: true },
    cwdKey: 'cwd',
    addresses: URL_ONLY,
    untyped: 'http',
    off: 'disabled',
    allowKey: 'tools',
    timeout: { key: 'timeout', unit: 1 },
    eagerKey: 'deferTools',
    ignored: ['enabled'],
    trustsProjects: true,
  },
  {
    id: 'amp',
    title: 'Amp',
    format: 'jsonc',
    at: ['amp.mcpServers'],
    rules: { braced: true },
    addresses: URL_ONLY,
    untyped: 'http',
    allowKey: 'includeTools',
  },
  {
    id: 'lm-studio',
    title: 'LM Studio',
    format: 'json',
    at: ['mcpServers'],
    rules: {},
    cwdKey: 'cwd',
    addresses: URL_ONLY,
    untyped: 'http',
  },
  {
    id: 'warp',
    title: 'Warp',
    format: 'json',
    at: ['mcpServers'],
    rules: { braced: true, only: ['env', 'headers'] },
    cwdKey: 'working_directory',
    addresses: { url: 'by-type', serverUrl: 'http' },
    untyped: 'http',
  },
  {
    // A configuration whose client is not known: a README, a project's mcp.json, an export of another gateway.
    id: 'other',
    title: 'another program',
    format: 'jsonc',
    at: ['mcpServers'],
    rules: { ...SHELL_LIKE, env: true, input: true, file: true, places: EDITOR_PLACES },
    cwdKey: 'cwd',
    hasEnvFile: true,
    addresses: { url: 'by-type', httpUrl: 'http', serverUrl: 'http' },
    untyped: 'http',
    off: 'disabled',
    denyKey: 'disabledTools',
  },
]

/** The spec of a client. VS Code Insiders writes like VS Code. */
export function specOf(clientId: string): ClientSpec | undefined {
  return CLIENT_SPECS.find(({ id }) => id === (clientId === 'vscode-insiders' ? 'vscode' : clientId))
}
