import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Environment } from '../config/environment.ts'
import { specOf } from './client-specs.ts'
import type { FileFormat } from './parse-file.ts'

/** A file in which a client may have servers. */
export interface ClientFile {
  readonly client: string
  readonly scope: 'user' | 'project' | 'extension'
  readonly path: string
  readonly format: FileFormat
  /** The project of a project file. */
  readonly project?: string
  /** Whether the gateway writes itself into this file; other files of the client are only read. */
  readonly isMain: boolean
  /** A folder or file whose existence shows that the client is installed. */
  readonly marker: string
}

interface Places {
  readonly home: string
  /** The folder of applications' settings: `~/.config`, or its counterpart. */
  readonly app: string
  readonly variable: (name: string, fallback: string) => string
}

interface UserFile {
  readonly client: string
  readonly path: (places: Places) => string
  /** Relative to the file's folder, if the folder itself does not show that the client is installed. */
  readonly marker?: (places: Places) => string
  /** Files of earlier versions, or of the same client in another program: only read. */
  readonly others?: (places: Places) => readonly string[]
}

const CODE = (app: string): string => join(app, 'Code', 'User')

const USER_FILES: readonly UserFile[] = [
  {
    client: 'claude-code',
    path: ({ home, variable }) => join(variable('CLAUDE_CONFIG_DIR', home), '.claude.json'),
    marker: ({ home }) => join(home, '.claude'),
  },
  { client: 'claude-desktop', path: ({ app }) => join(app, 'Claude', 'claude_desktop_config.json') },
  { client: 'cursor', path: ({ home }) => join(home, '.cursor', 'mcp.json') },
  {
    client: 'vscode',
    path: ({ app }) => join(CODE(app), 'mcp.json'),
    others: ({ app }) => folders(join(CODE(app), 'profiles')).map((folder) => join(folder, 'mcp.json')),
  },
  { client: 'vscode-insiders', path: ({ app }) => join(app, 'Code - Insiders', 'User', 'mcp.json') },
  { client: 'codex', path: ({ home, variable }) => join(variable('CODEX_HOME', join(home, '.codex')), 'config.toml') },
  { client: 'gemini-cli', path: ({ home }) => join(home, '.gemini', 'settings.json') },
  { client: 'qwen-code', path: ({ home }) => join(home, '.qwen', 'settings.json') },
  {
    client: 'windsurf',
    path: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    others: ({ home }) => [join(home, '.codeium', 'mcp_config.json')],
  },
  { client: 'devin', path: ({ home }) => join(home, '.config', 'devin', 'mcp_config.json') },
  { client: 'zed', path: ({ home }) => join(home, '.config', 'zed', 'settings.json') },
  {
    client: 'opencode',
    path: ({ home, variable }) => {
      const folder = join(home, '.config', 'opencode')
      return variable('OPENCODE_CONFIG', firstOf([join(folder, 'opencode.jsonc'), join(folder, 'opencode.json')]))
    },
  },
  {
    client: 'cline',
    path: ({ home, variable }) =>
      join(variable('CLINE_DIR', join(home, '.cline')), 'data', 'settings', 'cline_mcp_settings.json'),
    others: ({ app }) => [
      join(CODE(app), 'globalStorage', 'saoudrizwan.claude-dev', 'settings', 'cline_mcp_settings.json'),
    ],
  },
  {
    client: 'roo-code',
    path: ({ app }) => join(CODE(app), 'globalStorage', 'rooveterinaryinc.roo-cline', 'settings', 'mcp_settings.json'),
  },
  { client: 'continue', path: ({ home }) => join(home, '.continue', 'config.yaml') },
  { client: 'goose', path: ({ home }) => join(home, '.config', 'goose', 'config.yaml') },
  {
    client: 'junie',
    path: ({ home }) => join(home, '.junie', 'mcp', 'mcp.json'),
    marker: ({ home }) => join(home, '.junie'),
  },
  {
    client: 'copilot-cli',
    path: ({ home, variable }) => join(variable('COPILOT_HOME', join(home, '.copilot')), 'mcp-config.json'),
  },
  { client: 'amp', path: ({ home }) => join(home, '.config', 'amp', 'settings.json') },
  {
    client: 'lm-studio',
    path: ({ home }) => join(home, '.lmstudio', 'mcp.json'),
    others: ({ home }) => [join(home, '.cache', 'lm-studio', 'mcp.json')],
  },
  { client: 'warp', path: ({ home }) => join(home, '.warp', '.mcp.json') },
]

/** Files of a project, by client. `.mcp.json` is shared by several clients; the rules of Claude Code apply. */
const PROJECT_FILES: Readonly<Record<string, readonly string[]>> = {
  'claude-code': ['.mcp.json'],
  cursor: ['.cursor/mcp.json'],
  vscode: ['.vscode/mcp.json'],
  codex: ['.codex/config.toml'],
  'gemini-cli': ['.gemini/settings.json'],
  'qwen-code': ['.qwen/settings.json'],
  devin: ['.devin/mcp_config.json', '.devin/mcp_config.local.json'],
  zed: ['.zed/settings.json'],
  opencode: ['opencode.jsonc', 'opencode.json', '.opencode/opencode.json'],
  'roo-code': ['.roo/mcp.json'],
  junie: ['.junie/mcp/mcp.json'],
  'jetbrains-ai': ['.ai/mcp/mcp.json'],
  'copilot-cli': ['.github/mcp.json'],
  amp: ['.amp/settings.json'],
  warp: ['.warp/.mcp.json'],
  other: ['mcp.json'],
}

/** The files of all clients in the home folder and in the project of the working directory, existing or not. */
export function clientFiles(environment: Environment): readonly ClientFile[] {
  const places = placesOf(environment)
  const own = USER_FILES.flatMap(({ client, path, marker, others }): ClientFile[] => {
    const main = path(places)
    const base = { client, scope: 'user' as const, format: formatOf(client) }
    return [
      { ...base, path: main, isMain: true, marker: marker?.(places) ?? dirname(main) },
      ...(others?.(places) ?? []).map((other) => ({ ...base, path: other, isMain: false, marker: other })),
    ]
  })
  return [...own, ...extensions(places), ...projectFiles(environment)]
}

function projectFiles({ cwd, home }: Environment): readonly ClientFile[] {
  // The home folder is no project: its files are those of the user.
  if (cwd === home) return []
  const inProject = Object.entries(PROJECT_FILES).flatMap(([client, paths]) =>
    paths.map((path) => ({ client, path: join(cwd, path) })),
  )
  const workspace = filesIn(join(cwd, '.continue', 'mcpServers')).map((path) => ({ client: 'continue', path }))
  return [...inProject, ...workspace].map(({ client, path }) => ({
    client,
    path,
    scope: 'project',
    project: cwd,
    format: path.endsWith('.json') && client === 'continue' ? 'json' : formatOf(client),
    isMain: path === join(cwd, PROJECT_FILES[client]?.[0] ?? ''),
    marker: path,
  }))
}

function extensions({ app }: Places): readonly ClientFile[] {
  return folders(join(app, 'Claude', 'Claude Extensions')).map((folder) => ({
    client: 'claude-desktop',
    scope: 'extension',
    path: join(folder, 'manifest.json'),
    format: 'json',
    isMain: false,
    marker: folder,
  }))
}

/** The client whose file this is by its path; undefined if no client has such a file. */
export function clientOfPath(path: string, environment: Environment): ClientFile | undefined {
  const known = clientFiles(environment).find((file) => file.path === path)
  if (known !== undefined) return known
  for (const [client, paths] of Object.entries(PROJECT_FILES)) {
    const end = client === 'other' ? undefined : paths.find((each) => path.endsWith(`/${each}`))
    if (end === undefined) continue
    const project = path.slice(0, -end.length - 1)
    return { client, path, scope: 'project', project, format: formatOf(client), isMain: false, marker: path }
  }
  const named = USER_FILES.find((file) => basename(file.path(placesOf(environment))) === basename(path))
  const isTelling = !['mcp.json', 'settings.json', '.mcp.json', 'config.yaml', 'mcp_config.json'].includes(
    basename(path),
  )
  if (named === undefined || !isTelling) return undefined
  const { client } = named
  return { client, path, scope: 'user', format: formatOf(client), isMain: false, marker: path }
}

function placesOf({ home, variables, platform = 'linux' }: Environment): Places {
  const app =
    platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? (variables['APPDATA'] ?? join(home, 'AppData', 'Roaming'))
        : join(home, '.config')
  return { home, app, variable: (name, fallback) => variables[name] || fallback }
}

function formatOf(client: string): FileFormat {
  return specOf(client)?.format ?? 'jsonc'
}

function firstOf(paths: readonly [string, ...string[]]): string {
  return paths.find((path) => existsSync(path)) ?? paths[0]
}

function folders(path: string): readonly string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(path, entry.name))
      .toSorted()
  } catch {
    return []
  }
}

function filesIn(path: string): readonly string[] {
  try {
    return readdirSync(path)
      .filter((name) => /\.(?:ya?ml|json)$/.test(name))
      .map((name) => join(path, name))
      .toSorted()
  } catch {
    return []
  }
}
