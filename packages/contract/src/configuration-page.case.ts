// docs/reference/configuration.md, generated from the schema.
import { configJsonSchema, type ConfigJsonSchema } from './json-schema.ts'

const HEAD = `# Configuration

<!-- Generated from the schema in packages/contract/src by \`npx vitest run packages/contract -u\`. -->

One file, \`tooldex.json\`: the one that \`--config\` names, else the one in the current folder, else the one in \`~/.tooldex\`.
It is JSON; comments and trailing commas are allowed. Entries of \`mcpServers\` have the format of Claude, Cursor and VS Code, so
that most can be copied as they are.

\`\`\`jsonc
{
  "mcpServers": {
    "github": { "url": "https://api.example.org/mcp", "headers": { "Authorization": "Bearer \${GITHUB_TOKEN}" } },
    "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "./docs"], "start": "on-demand" }
  },
  "projects": {
    "work": { "servers": ["github"], "exposure": "meta-tools", "tools": { "github:delete_repo": { "allowed": false } } }
  },
  "endpoints": { "work": { "project": "work" } },
  "tokens": [{ "name": "laptop", "value": "\${TOOLDEX_LAPTOP_TOKEN}" }]
}
\`\`\`

- **Variables.** \`\${NAME}\` in any text is replaced by the environment variable; \`\${NAME:-default}\` has a default for a variable
  that is not set or empty; \`\${env:NAME}\` is the same as \`\${NAME}\`; \`$\${\` stands for a literal \`\${\`. A missing variable is an error that names the
  key and the variable. \`\${NAME?}\` leaves its entry out if the variable is not set. \`\${userHome}\` is the home folder,
  \`\${file:/path}\` the content of a file, and \`\${input:NAME}\` a value of the server's \`inputs\`. Servers of the store have the same
  references. One that lacks a value stays off and names it: \`tooldex server set <id> --input NAME=…\`. References of the store
  cannot read variables whose name begins with \`TOOLDEX_\`.
- **Environment.** Every setting can come from a variable instead, such as \`TOOLDEX_LISTEN_PORT\`, which has precedence over the
  file: [Environment variables](environment.md).
- **Mistakes.** The whole file is checked, and all problems are reported at once, with line and column. An unknown key is an
  error that suggests the nearest known one. \`tooldex check\` does only the check.
- **Changes.** The file is watched. A valid change is applied immediately and restarts only the servers that it concerns; an
  invalid one is logged, problem by problem, and the last valid one stays in force. \`SIGHUP\` reads the file again, too.
  If \`serve\` started without a file, one that appears is applied within seconds.
- **Defaults.** The project \`default\` (all servers that no other project names) and the endpoint \`default\` (at \`/mcp\`) always
  exist; write them down to change their settings.
- **Editors.** \`tooldex schema > tooldex.schema.json\`, and \`"$schema": "./tooldex.schema.json"\` at the top of the file.
`

/** The figures are those of server-limits.ts and schema-check.ts in the gateway, where a test compares them. */
const FIXED_LIMITS = `
## Limits that are not settings

What one server may do to the gateway. Honest servers stay far below. What exceeds a limit is cut, left out or refused; \`tooldex server show\`, the
API and the server's page in the console say so.

| What | Limit | Beyond it |
|---|---|---|
| Description or title | 32,768 characters | cut |
| Name or URI | 1,024 characters | the entry is left out |
| Input schema | 262,144 characters, 128 levels | replaced by any object; the server checks arguments |
| Output schema | 262,144 characters, 128 levels | dropped |
| Any other field | 65,536 characters, 128 levels | dropped |
| One entry of a large list | 2,097,152 bytes | left out |
| A whole list | 8,388,608 characters | the rest is left out |
| Instructions | 32,768 characters | cut |
| Requests to clients | 30 a second, 64 open | refused; a server that goes on has to wait |
| Notifications | 300 a second | dropped; a server that goes on has to wait |
| One request or notification | 262,144 characters | refused or dropped |
| Check of a call's arguments | 10,000 steps | left to the server, with a debug line |
| Calls that wait for their turn at a server | 10,000, with 67,108,864 bytes of arguments | refused with \`SERVER_BUSY\` |
`

const SECTIONS: readonly (readonly [title: string, path: readonly string[], text: string])[] = [
  ['The file', [], ''],
  [
    'A server: `mcpServers.<id>`',
    ['mcpServers', '*'],
    'The id is part of every tool key (`github:create_issue`) and should never change; it has no colon. A server has either `command` or `url`.',
  ],
  ['Limits of a server: `mcpServers.<id>.limits`', ['mcpServers', '*', 'limits'], 'Milliseconds, bytes or a count.'],
  [
    'A login at a server: `mcpServers.<id>.auth`',
    ['mcpServers', '*', 'auth'],
    'For servers that require OAuth: [Logging in at servers](../guide/logins.md).',
  ],
  [
    'A project: `projects.<id>`',
    ['projects', '*'],
    'Which servers, which tools of them, and how they are disclosed. An absent setting has the built-in default.',
  ],
  ['A tool in a project: `projects.<id>.tools.<tool key>`', ['projects', '*', 'tools', '*'], ''],
  [
    'An endpoint: `endpoints.<id>`',
    ['endpoints', '*'],
    'A URL that serves one project. Its disclosure settings override those of the project; absent ones are inherited.',
  ],
  [
    'The tool search of MCProxy: `middleware.proxy[]`',
    ['middleware', 'proxy', '[]'],
    'For files of MCProxy: the project `default` gets the exposure `limited` and the dialect `mcproxy`. Other types of middleware are refused.',
  ],
  ['Its settings: `middleware.proxy[].config`', ['middleware', 'proxy', '[]', 'config'], ''],
  [
    'A token: `tokens[]`',
    ['tokens', '[]'],
    'Has either `sha256` or `value`. `tooldex token create --print-only` makes one.',
  ],
  [
    'An identity provider: `auth`',
    ['auth'],
    'JWTs of this issuer open endpoints, too, within their scopes. They never open the admin API.',
  ],
  [
    'Rate limits: `rateLimits`',
    ['rateLimits'],
    'Beyond a limit the answer is 429 with `Retry-After`. Gateways on one PostgreSQL database [keep the limits together](../explain/store.md#limits-of-several-gateways).',
  ],
  ['Listening: `listen`', ['listen'], ''],
  [
    'Limits of connections: `listen.limits`',
    ['listen', 'limits'],
    'Limits for clients, before and after authentication. Milliseconds, bytes or a count.',
  ],
  [
    'Embeddings: `embeddings`',
    ['embeddings'],
    'The embedding model of search: [Choose an embedding model](../guide/choose-an-embedder.md).',
  ],
  ['The audit log: `audit`', ['audit'], 'Records of searches and calls, without arguments and results.'],
  [
    'Search API: `searchApi`',
    ['searchApi'],
    'The service behind the strategy `cloud`: [Search API](../guide/search-api.md).',
  ],
  [
    'Search index: `search`',
    ['search'],
    'Where the index of the tools is kept: [Large catalogs](../guide/large-catalogs.md).',
  ],
  ['Telemetry: `telemetry`', ['telemetry'], 'Traces: [Health, metrics and traces](metrics.md).'],
]

/** The whole page. */
export function configurationPage(schema: ConfigJsonSchema = configJsonSchema()): string {
  const sections = SECTIONS.map(([title, path, text]) => {
    const introduction = text === '' ? '' : `\n${text}\n`
    return `\n## ${title}\n${introduction}\n${tableOf(at(schema, path))}`
  })
  return `${HEAD}${sections.join('')}${FIXED_LIMITS}`
}

function at(schema: ConfigJsonSchema, [first, ...rest]: readonly string[]): ConfigJsonSchema {
  if (first === undefined) return schema
  const additional = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
  const next = first === '*' ? additional : first === '[]' ? schema.items : schema.properties?.[first]
  if (next === undefined) throw new Error(`the schema has no ${first}`)
  return at(next, rest)
}

function tableOf({ properties = {}, required = [] }: ConfigJsonSchema): string {
  const rows = Object.entries(properties).map(([key, property]) => {
    const fallback = required.includes(key) ? 'required' : defaultOf(property)
    return `| \`${key}\` | ${typeOf(property)} | ${fallback} | ${(property.description ?? '').replaceAll('|', '\\|')} |`
  })
  return ['| Key | Value | Default | |', '|---|---|---|---|', ...rows, ''].join('\n')
}

function typeOf(schema: ConfigJsonSchema): string {
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`
  return WORDS[schema.type ?? ''] ?? 'any'
}

function defaultOf({ default: value }: ConfigJsonSchema): string {
  if (value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)) return ''
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: '`true`, `false`',
  object: 'object',
  null: '`null`',
}
