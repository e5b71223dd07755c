/**
 * Ten tools of six servers, as servers of this kind describe them, and what it takes to list and search them without a
 * gateway around.
 */
import { Bm25Provider, type IndexedTool, type McpTool, type SearchProvider } from '@tooldex/search'
import { type EligibleTools, eligibleTools } from '../access/eligible-tools.ts'
import type { Project, ProjectTool } from '../model/project.ts'
import type { CatalogServer, CatalogSnapshot, CatalogTool } from '../catalog/catalog.ts'
import type { ToolKey } from '../model/tool-key.ts'
import { exposedNames, type ExposedNames } from '../access/exposed-names.ts'
import { RESERVED_TOOL_NAMES } from '../dialects/dialects.ts'

const text = (description: string) => ({ type: 'string', description })
const flag = (description: string, byDefault: boolean) => ({ type: 'boolean', description, default: byDefault })
const count = (description: string, byDefault: number) => ({ type: 'integer', description, default: byDefault })
const object = (properties: object, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

/** Server name → its tools, in the order of the project. */
export const TEN_TOOLS: ReadonlyMap<string, readonly McpTool[]> = new Map<string, readonly McpTool[]>([
  [
    'filesystem',
    [
      {
        name: 'read_file',
        title: 'Read file',
        description:
          'Read the complete contents of a file from disk. Text is decoded with the given encoding; binary data is returned as base64. Fails when the path does not exist or lies outside the allowed directories.',
        inputSchema: object(
          {
            path: text('Absolute path of the file to read'),
            encoding: { type: 'string', enum: ['utf-8', 'latin1', 'base64'], default: 'utf-8' },
            head: count('Return only this many lines from the beginning; 0 returns all of them', 0),
            tail: count('Return only this many lines from the end; 0 returns all of them', 0),
          },
          ['path'],
        ),
        outputSchema: object({ content: text('The contents'), size: { type: 'integer' } }, ['content']),
        annotations: { title: 'Read file', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      },
      {
        name: 'write_file',
        title: 'Write file',
        description:
          'Write text to a file, creating it when it does not exist and replacing what was there before. Parent directories are created on request. Use with care: the previous version is not kept.',
        inputSchema: object(
          {
            path: text('Absolute path of the file to write'),
            content: text('The whole new text of the file'),
            encoding: { type: 'string', enum: ['utf-8', 'latin1', 'base64'], default: 'utf-8' },
            create_directories: flag('Create missing parent directories first', false),
          },
          ['path', 'content'],
        ),
        annotations: { title: 'Write file', readOnlyHint: false, destructiveHint: true, idempotentHint: true },
      },
      {
        name: 'list_directory',
        title: 'List directory',
        description:
          'List the files and subdirectories of a directory with their sizes and modification times. Entries are sorted by name; directories carry a trailing slash so that they can be told from files.',
        inputSchema: object(
          {
            path: text('Absolute path of the directory'),
            recursive: flag('Descend into subdirectories', false),
            pattern: text('Only entries whose name matches this glob, for example *.md'),
            include_hidden: flag('Include entries whose name begins with a dot', false),
          },
          ['path'],
        ),
        annotations: { title: 'List directory', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      },
    ],
  ],
  [
    'web',
    [
      {
        name: 'fetch_url',
        title: 'Fetch URL',
        description:
          'Fetch a web page or API response with an HTTP GET request and return its body. HTML can be converted to Markdown so that it is easier to read. Redirects are followed up to five times.',
        inputSchema: object(
          {
            url: { type: 'string', format: 'uri', description: 'Address to request, http or https' },
            headers: { type: 'object', description: 'Extra request headers', additionalProperties: { type: 'string' } },
            as_markdown: flag('Convert HTML to Markdown', true),
            timeout_seconds: count('Give up after this many seconds', 30),
          },
          ['url'],
        ),
        annotations: { title: 'Fetch URL', readOnlyHint: true, openWorldHint: true },
      },
      {
        name: 'post_request',
        title: 'Post request',
        description:
          'Send data to a web server with an HTTP POST request and return status, headers and body of the response. The body is sent as JSON or as a form, depending on the content type that is chosen.',
        inputSchema: object(
          {
            url: { type: 'string', format: 'uri', description: 'Address to send the request to, http or https' },
            body: { type: 'object', description: 'The data to send', additionalProperties: true },
            content_type: { type: 'string', enum: ['application/json', 'application/x-www-form-urlencoded'] },
            headers: { type: 'object', description: 'Extra request headers', additionalProperties: { type: 'string' } },
          },
          ['url', 'body'],
        ),
        annotations: { title: 'Post request', readOnlyHint: false, destructiveHint: true, openWorldHint: true },
      },
    ],
  ],
  [
    'database',
    [
      {
        name: 'query_database',
        title: 'Query database',
        description:
          'Run a read-only SQL query against the database and return the rows as JSON. Parameters are bound by the driver and never pasted into the statement. Results are cut after the row limit.',
        inputSchema: object(
          {
            sql: text('A single SELECT statement with $1, $2 … for parameters'),
            parameters: { type: 'array', items: {}, description: 'Values for the parameters, in order' },
            limit: count('At most this many rows', 100),
            schema: text('Database schema to look tables up in'),
          },
          ['sql'],
        ),
        annotations: { title: 'Query database', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      },
      {
        name: 'insert_record',
        title: 'Insert record',
        description:
          'Insert a record into a database table and return the stored row with generated columns. Columns that are left out get their default value. Violated constraints are reported with their name.',
        inputSchema: object(
          {
            table: text('Name of the database table'),
            record: { type: 'object', description: 'Column names and values', additionalProperties: true },
            on_conflict: { type: 'string', enum: ['fail', 'ignore', 'update'], default: 'fail' },
            schema: text('Database schema that the table is in'),
          },
          ['table', 'record'],
        ),
        annotations: { title: 'Insert record', readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      },
    ],
  ],
  [
    'code',
    [
      {
        name: 'search_code',
        title: 'Search code',
        description:
          'Search source code in a repository for a symbol, a string or a regular expression and return matching lines with their position. Generated and vendored folders are skipped unless they are asked for.',
        inputSchema: object(
          {
            pattern: text('What to look for'),
            repository: text('Repository name; all repositories when left out'),
            language: text('Only sources in this programming language'),
            is_regex: flag('Read the pattern as a regular expression', false),
          },
          ['pattern'],
        ),
        annotations: { title: 'Search code', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      },
    ],
  ],
  [
    'testing',
    [
      {
        name: 'run_tests',
        title: 'Run tests',
        description:
          'Run the test suite of a project, or a part of it, and return which tests passed and failed with their output. Stops early on request; reports the slowest tests and, if wanted, the coverage.',
        inputSchema: object(
          {
            project: text('Path or name of the project under test'),
            filter: text('Only tests whose title contains this'),
            fail_fast: flag('Stop at the first failure', false),
            coverage: flag('Measure coverage as well', false),
          },
          ['project'],
        ),
        annotations: { title: 'Run tests', readOnlyHint: false, idempotentHint: true, openWorldHint: false },
      },
    ],
  ],
  [
    'devops',
    [
      {
        name: 'deploy_app',
        title: 'Deploy app',
        description:
          'Deploy a version of an application to an environment and wait until it is healthy. Rolls back to the previous version when health checks fail within the time limit, and says which one failed.',
        inputSchema: object(
          {
            app: text('Name of the application'),
            version: text('Version, tag or commit to deploy'),
            environment: { type: 'string', enum: ['staging', 'production'], description: 'Where to deploy' },
            timeout_minutes: count('Roll back when it is not healthy by then', 10),
          },
          ['app', 'version', 'environment'],
        ),
        annotations: { title: 'Deploy app', readOnlyHint: false, destructiveHint: true, openWorldHint: true },
      },
    ],
  ],
])

/** The exposed names in the dialects router and metamcp. */
export const TEN_NAMES: readonly string[] = Array.from(TEN_TOOLS, ([server, tools]) =>
  tools.map((tool) => `${server}__${tool.name}`),
).flat()

/** Servers with these tools, all running; the id of a server is its name. */
function snapshotOf(servers: ReadonlyMap<string, readonly McpTool[]>): CatalogSnapshot {
  const catalogServers = Array.from(servers, ([id, tools]): CatalogServer => {
    const entries = tools.map((definition): [string, CatalogTool] => {
      const key = `${id}:${definition.name}` as ToolKey
      return [definition.name, { key, serverId: id, serverName: id, name: definition.name, definition, repairs: [] }]
    })
    const lists = { prompts: [], resources: [], resourceTemplates: [], isLastGood: false }
    return { id, name: id, state: 'running', tools: new Map(entries), ...lists }
  })
  const tools = catalogServers.flatMap((server) =>
    Array.from(server.tools.values(), (tool) => [tool.key, tool] as const),
  )
  return { version: 1, servers: catalogServers, tools: new Map(tools) }
}

/** A project of all servers of a snapshot, with settings of single tools by key. */
function projectOf(snapshot: CatalogSnapshot, tools: Readonly<Record<string, ProjectTool>> = {}): Project {
  return {
    id: 'project',
    name: 'Project',
    serverIds: snapshot.servers.map((server) => server.id),
    tools: new Map(Object.entries(tools).map(([key, tool]) => [key as ToolKey, tool])),
    disclosure: {},
  }
}

/** The eligible tools of an unrestricted principal. */
export function eligibleIn(
  servers: ReadonlyMap<string, readonly McpTool[]>,
  tools: Readonly<Record<string, ProjectTool>> = {},
): EligibleTools {
  const snapshot = snapshotOf(servers)
  const principal = { tokenId: 'token', name: 'Token', readOnly: false }
  return eligibleTools(principal, projectOf(snapshot, tools), new Map(), snapshot)
}

/** The names of a dialect with this separator. */
export function namesFor(eligible: EligibleTools, separator: '__' | '___' = '__'): ExposedNames {
  return exposedNames(eligible, { separator, dropPrefix: false, reserved: RESERVED_TOOL_NAMES })
}

/** A provider with the tools of these servers. */
export function providerOver(
  servers: ReadonlyMap<string, readonly McpTool[]>,
  provider: SearchProvider = new Bm25Provider(),
): SearchProvider {
  const added = Array.from(servers, ([namespace, tools]) =>
    tools.map((tool): IndexedTool => ({ ...tool, namespace, id: `${namespace}:${tool.name}` })),
  ).flat()
  provider.apply({ added, changed: [], removed: [] })
  return provider
}
