// docs/reference/configuration.md, made from the schema so that it cannot fall behind.
import { configJsonSchema, type ConfigJsonSchema } from './json-schema.ts'

const HEAD = `# Configuration

<!-- Made from the schema in packages/contract/src; \`npx vitest run packages/contract -u\` writes it again. -->

One file, \`tooldex.json\`: the one that \`--config\` names, else the one in the current folder, else the one in \`~/.tooldex\`.
It is JSON; comments and trailing commas are welcome. An entry of \`mcpServers\` is what Claude, Cursor and VS Code use, so
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

- **Variables.** \`\${NAME}\` in any text is replaced by the environment variable; \`\${NAME:-default}\` has something for when it is
  not set or empty; \`\${env:NAME}\` is the same as \`\${NAME}\`; \`$\${\` stands for a plain \`\${\`. A missing variable is an error that names the
  key and the variable.
- **Mistakes.** The whole file is checked, and all problems are told at once, with line and column. A key that is not known is
  refused, with the nearest known one: a setting that does nothing is worse than none. \`tooldex check\` does only that.
- **Changes.** The file is watched. A valid change is taken over at once and restarts only the servers that it is about; an
  invalid one is told in the log, problem by problem, and the last good one stays. \`SIGHUP\` reads the file again, too.
  Where \`serve\` began without a file, one that appears is taken over within seconds.
- **Defaults.** The project \`default\` (all servers that no other project names) and the endpoint \`default\` (at \`/mcp\`) always
  exist; write them down to change their settings.
- **Editors.** \`tooldex schema > tooldex.schema.json\`, and \`"$schema": "./tooldex.schema.json"\` at the top of the file.
`

const SECTIONS: readonly (readonly [title: string, path: readonly string[], text: string])[] = [
  ['The file', [], ''],
  [
    'A server: `mcpServers.<id>`',
    ['mcpServers', '*'],
    'The id is part of every tool key (`github:create_issue`), so it is for ever; it has no colon. A server has either `command` or `url`.',
  ],
  ['Limits of a server: `mcpServers.<id>.limits`', ['mcpServers', '*', 'limits'], 'Milliseconds, bytes or a count.'],
  [
    'A login at a server: `mcpServers.<id>.auth`',
    ['mcpServers', '*', 'auth'],
    'For servers that ask for one, by OAuth: [Logging in at servers](../guide/logins.md).',
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
    'A URL that serves one project. What it says of disclosure wins over the project; an absent setting inherits.',
  ],
  [
    'A token: `tokens[]`',
    ['tokens', '[]'],
    'Has either `sha256` or `value`. `tooldex token create --print-only` makes one.',
  ],
  [
    'An identity provider: `auth`',
    ['auth'],
    'JWTs of this issuer open endpoints, too. They never open the admin API, and never more than their scopes say.',
  ],
  ['Rate limits: `rateLimits`', ['rateLimits'], 'Beyond a limit the answer is 429 with `Retry-After`.'],
  ['Listening: `listen`', ['listen'], ''],
  [
    'Limits of connections: `listen.limits`',
    ['listen', 'limits'],
    'What a client may cost before it has shown who it is, and after. Milliseconds, bytes or a count.',
  ],
  [
    'Embeddings: `embeddings`',
    ['embeddings'],
    'Who turns texts into vectors, which is how search understands: [Choose who understands](../guide/choose-an-embedder.md).',
  ],
  ['The audit log: `audit`', ['audit'], 'Who searched and called what; never arguments or results.'],
  [
    'Search API: `searchApi`',
    ['searchApi'],
    'Who answers the strategy `cloud`, and what it is sent: [Search API](../guide/search-api.md).',
  ],
  ['Telemetry: `telemetry`', ['telemetry'], 'What is traced, and how: [Health, metrics and traces](metrics.md).'],
]

/** The whole page. */
export function configurationPage(schema: ConfigJsonSchema = configJsonSchema()): string {
  const sections = SECTIONS.map(([title, path, text]) => {
    const introduction = text === '' ? '' : `\n${text}\n`
    return `\n## ${title}\n${introduction}\n${tableOf(at(schema, path))}`
  })
  return `${HEAD}${sections.join('')}`
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
