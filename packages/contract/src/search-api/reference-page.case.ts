// docs/reference/search-api.md, generated from the schemas.
import { CATALOG_TYPE, searchApiDocument } from './openapi.ts'
import { SEARCH_API_PROBLEMS } from './problem.ts'
import { SEARCH_API_LIMITS, SEARCH_API_VERSION } from './schema.ts'

/** The part of JSON Schema that these schemas use. */
interface Field {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Field>>
  readonly items?: Field
  readonly anyOf?: readonly Field[]
  readonly required?: readonly string[]
}

const { tools, queries, queryLength, contextLength, bodyBytes, catalogTools, catalogBytes } = SEARCH_API_LIMITS

/** The request of the page; a test sends it. */
export const EXAMPLE = {
  query: ['report a bug'],
  context: 'A user reports that the export hangs.',
  tools: [
    {
      toolKey: 'github:create_issue',
      toolName: 'create_issue',
      serverName: 'github',
      description: 'Create a new issue in a repository.',
    },
    {
      toolKey: 'mail:send_message',
      toolName: 'send_message',
      serverName: 'mail',
      description: 'Send an e-mail to a person.',
    },
  ],
  maxResults: 5,
  projectId: 'work',
}

/** The whole page. */
export function searchApiPage(): string {
  const { schemas } = searchApiDocument()['components'] as { schemas: Readonly<Record<string, Field>> }
  const schemaOf = (name: string): Field => schemas[name] ?? {}
  return `${[
    HEAD,
    '## Request',
    'Fields that are not listed here are ignored.',
    fieldTable(schemaOf('SearchRequest')),
    'A tool, as it is sent:',
    fieldTable(schemaOf('SearchRequest').properties?.['tools']?.items ?? {}),
    LIMITS,
    '## Answer',
    fieldTable(schemaOf('SearchAnswer')),
    'A result:',
    fieldTable(schemaOf('SearchAnswer').properties?.['results']?.items ?? {}),
    '`degraded`:',
    fieldTable(schemaOf('SearchAnswer').properties?.['degraded'] ?? {}),
    CATALOGS,
    'A tool, on a line of its own:',
    fieldTable(schemaOf('CatalogTool')),
    'The answer, 201 for a new catalog and 200 for a known one, which is not read again; `GET` of the same path, too:',
    fieldTable(schemaOf('CatalogState')),
    'A search of it:',
    fieldTable(schemaOf('CatalogSearch')),
    '`rule`:',
    fieldTable(schemaOf('CatalogSearch').properties?.['rule'] ?? {}),
    CATALOG_LIMITS,
    '## Problems',
    'All other answers are problems in the form of RFC 9457, `application/problem+json`:',
    fieldTable(schemaOf('Problem')),
    table(['Status', 'Code', ''], Object.entries(SEARCH_API_PROBLEMS).map(problemRow)),
    HEADERS,
    PAGES,
  ].join('\n\n')}\n`
}

const HEAD = `# Search API

<!-- Made from the schemas in packages/contract/src/search-api; \`npx vitest run packages/contract -u\` writes it again. -->

What [\`tooldex search-api\`](../guide/search-api.md) answers. \`GET /openapi.json\` has the same as an OpenAPI 3.1 document, and
\`@tooldex/contract/search-api\` as zod schemas. This is version ${SEARCH_API_VERSION}; fields are only ever added to it, and both sides ignore those
that they do not know.

\`\`\`http
POST /v1/catalog/search
Authorization: Bearer <token>
Content-Type: application/json

${JSON.stringify(EXAMPLE, null, 2)}
\`\`\`

\`/catalog/search\` is the same. The body may be packed: \`Content-Encoding: gzip\`, \`deflate\` or \`br\`.

A token belongs to a project, or to every one (\`*\`). \`projectId\`, if sent, must be the token’s project. Tokens are secrets of which
the service knows the SHA-256, or JWTs that an issuer signs and whose claim \`project\` names the project.`

const LIMITS = `At most ${count(tools)} tools, ${count(queries)} queries of ${count(queryLength)} characters, a context of ${count(contextLength)} characters and a body of
${bodyBytes / 1024 / 1024} MB, before and after unpacking; tools and body can be configured.`

const CATALOGS = `## Catalogs

Many tools are uploaded once and searched by their hash, so that a search stays below a kilobyte:

\`\`\`http
PUT /v1/catalogs/8f43…e1
Authorization: Bearer <token>
Content-Type: ${CATALOG_TYPE}
Content-Encoding: gzip

{"toolKey":"github:create_issue","toolName":"create_issue","serverName":"github"}
{"toolKey":"github:list_issues","toolName":"list_issues","serverName":"github","traits":{"readOnly":true}}
\`\`\`

\`\`\`http
POST /v1/catalogs/8f43…e1/search
Authorization: Bearer <token>
Content-Type: application/json

{"query":["report a bug"],"rule":{"servers":["github"],"except":["github:delete_repo"]}}
\`\`\`

The hash is the SHA-256 of the lines before packing, in hex. A search of an unknown hash is answered with 404 and the code
\`CATALOG_UNKNOWN\`: upload the catalog and search again. That happens at any time: a catalog is kept while it is used, and may go
before that when there are many. A catalog belongs to the project that uploaded it; a token for all projects names the project
with \`?projectId=\`. The answers are those of a request with just the tools that the rule selects.`

const CATALOG_LIMITS = `At most ${count(catalogTools)} tools and ${catalogBytes / 1024 / 1024} MB, before and after unpacking.`

const HEADERS = `A 401 says with \`WWW-Authenticate\` what is wanted, a 429 and a 503 with \`Retry-After\` when to come again, a 415 with
\`Accept-Encoding\` what may be sent.`

const PAGES = `## Other pages

${table(
  ['Path', 'Who may ask', 'Answer'],
  [
    ['`GET /openapi.json`', 'anybody', 'this interface'],
    ['`GET /healthz`', 'anybody', '200 while the process answers'],
    ['`GET /readyz`', 'anybody', '200 when requests are answered, 503 while stopping'],
    ['`GET /metrics`', 'this machine, or a token', 'the figures below, in the text format of Prometheus'],
  ],
)}

${table(
  ['Metric', 'Labels', ''],
  [
    ['`tooldex_search_api_requests_total`', '`status`', 'Requests.'],
    ['`tooldex_search_api_searches_total`', '`answered_by`, `degraded`, `cached`', 'Searches that were answered.'],
    ['`tooldex_search_api_duration_seconds`', '', 'Histogram: from arrival to answer.'],
    ['`tooldex_search_api_tools`', '', 'Histogram: tools in a search.'],
    ['`process_*`, `nodejs_*`', '', 'Memory, CPU, event loop; from the first time that they are asked for.'],
  ],
)}`

function fieldTable({ properties = {}, required = [] }: Field): string {
  const rows = Object.entries(properties).map(([name, field]) => [
    `\`${name}\``,
    typeOf(field),
    required.includes(name) ? 'yes' : '',
    field.description ?? '',
  ])
  return table(['Field', 'Value', 'Required', ''], rows)
}

function problemRow([code, { status, title }]: [string, { status: number; title: string }]): string[] {
  return [String(status), `\`${code}\``, `${title}.`]
}

/** A table whose columns are as wide as their widest cell, as the formatter wants it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, at) => Math.max(3, ...all.map((row) => row[at]?.length ?? 0)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  object: 'object',
}

function typeOf({ type = '', items, anyOf }: Field): string {
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ')
  return type === 'array' ? `list of ${typeOf(items ?? {})}s` : (WORDS[type] ?? type)
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}
