import { z } from 'zod'
import { authSchema, listenLimitsSchema, proxyAddress, rateLimitsSchema } from './access-config.ts'
import {
  disclosureFields,
  endpointAliases,
  middlewareSchema,
  projectAliases,
  toolAliases,
} from './disclosure-config.ts'
import { serverConfigSchema, trustMode } from './server-config.ts'

// oxlint-disable-next-line no-control-regex -- control characters are what it refuses
const SERVER_ID = /^(?!\s*$)[^:\u0000-\u001f\u007f]{1,128}$/
const PATH_SEGMENT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** The id of a server. */
export const serverId = z
  .string()
  .regex(SERVER_ID, 'must have 1 to 128 characters and no colon')
  .regex(/^(?!tooldex$)/i, 'is the gateway’s own: choose another id')
/** The id of a project. */
export const projectId = z.string().regex(SERVER_ID, 'must have 1 to 128 characters and no colon')
/** The id of an endpoint: a segment of its address. */
export const endpointId = z
  .string()
  .regex(PATH_SEGMENT, 'must be letters, digits, dots, dashes or underscores: it is part of the address')

const serversSchema = z.record(serverId, serverConfigSchema)

/** The longest name that clients can list: it fits together with the prefix that they add. */
const LONGEST_TOOL_NAME = 50

const exposedName = z
  .string()
  .min(1, 'must not be empty')
  .max(LONGEST_TOOL_NAME, `must have at most ${LONGEST_TOOL_NAME} characters, because clients put a prefix before it`)
  .regex(/^[A-Za-z0-9_.-]*$/, 'must have letters, digits, dots, dashes and underscores only')

/** The settings of one tool in a project. */
export const projectToolSchema = z.strictObject({
  allowed: z.boolean().optional().describe('false forbids the tool in this project.'),
  deferLoading: z.boolean().optional().describe('Whether this one is marked as deferred.'),
  pinned: z.boolean().optional().describe('Always listed, under every exposure.'),
  description: z.string().optional().describe('Replaces the server’s description for clients of this project.'),
  name: exposedName.optional().describe('The name under which clients of this project list and call it.'),
  ...toolAliases,
})

/** One project of a configuration. */
export const projectSchema = z.strictObject({
  name: z.string().trim().min(1, 'must not be empty').optional().describe('Its display name. Its id if absent.'),
  servers: z
    .array(z.string())
    .optional()
    .describe(
      'Server ids, in order of priority. Only the project `default` may leave it out: it has all servers that no other project has.',
    ),
  tools: z
    .record(z.string().regex(/^[^:]+:./, 'must be a tool key, server:tool'), projectToolSchema)
    .optional()
    .describe('Settings of single tools, by tool key (`server:tool`).'),
  allow: z
    .enum(['all', 'only'])
    .optional()
    .describe(
      '`only` makes it an allow-list: it has the tools with `allowed: true` in `tools` and no others. `all` if absent.',
    ),
  trust: trustMode.optional().describe('`trust` for the servers of this project, where it is stricter than theirs.'),
  ...disclosureFields,
  ...projectAliases,
})

/** One endpoint of a configuration. */
export const endpointSchema = z.strictObject({
  project: z.string().default('default').describe('The project that it serves.'),
  auth: z
    .enum(['token', 'none'])
    .default('token')
    .describe(
      '`none` accepts every client that reaches the port; only while the gateway listens on the loopback interface.',
    ),
  transparent: z
    .boolean()
    .default(false)
    .describe('One server, without prefix and without the gateway’s own tools: for conformance and simple proxying.'),
  ...disclosureFields,
  ...endpointAliases,
})

const tokenSchema = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .describe('The user or program that has it; appears in audit entries.'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits; `tooldex token create --print-only` prints it')
    .optional()
    .describe('The SHA-256 of the secret, as `tooldex token create --print-only` prints it.'),
  value: z
    .string()
    .min(16, 'is too short to be a secret: at least 16 characters')
    .optional()
    .describe('The secret itself, where it comes from the environment: `"${TOOLDEX_AGENT_TOKEN}"`.'),
  projects: z.array(z.string()).optional().describe('Project ids that it may use; all if absent.'),
  servers: z.array(z.string()).optional().describe('Server ids that it may use; all of the project if absent.'),
  tools: z
    .array(z.string().regex(/^[^:]+:./, 'must be a tool key, server:tool'))
    .optional()
    .describe(
      'An allow-list of tool keys (`server:tool`): it may use these and no others. All of the project if absent.',
    ),
  readOnly: z.boolean().default(false).describe('Only tools whose approved definition is annotated as read-only.'),
  expires: z
    .union([z.iso.date(), z.iso.datetime({ offset: true })], { error: 'must be a date such as 2027-01-31' })
    .optional()
    .describe('A date (2027-01-31) or a time (2027-01-31T12:00:00Z) from which it is refused.'),
})

const listenSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').describe('The interface to listen on.'),
  port: z.int().min(0).max(65_535).default(7420).describe('The port; 0 takes a free one.'),
  allowedHosts: z
    .array(z.string().min(1))
    .default([])
    .describe('Host names, beside the loopback ones, under which it may be called and whose web pages may call it.'),
  publicUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address such as https://tools.example.org' })
    .optional()
    .describe('Its public address if it runs behind a proxy; logins at servers return to it.'),
  trustedProxies: z
    .array(proxyAddress)
    .default([])
    .describe(
      'Addresses or networks (`10.0.0.0/8`) of proxies that set `X-Forwarded-For` or `Forwarded`: the client is then the address that the last of them reports. It counts for limits and in the audit log, and never as this machine.',
    ),
  replicaUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address such as http://10.0.0.7:7420' })
    .optional()
    .describe(
      'The address at which the other gateways on the same PostgreSQL database reach this one, past any balancer. If absent, the address on which it listens, or the first one of the machine if it listens on all.',
    ),
  limits: listenLimitsSchema.prefault({}).describe('Limits on the number of connections and on their waiting times.'),
})

const telemetrySchema = z.strictObject({
  otlpEndpoint: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address such as http://127.0.0.1:4318' })
    .optional()
    .describe(
      'The collector that traces of calls and searches are sent to, as OTLP over HTTP in JSON. `OTEL_EXPORTER_OTLP_ENDPOINT` if absent; nothing is traced without either.',
    ),
  otlpHeaders: z
    .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header'), z.string())
    .default({})
    .describe('Headers for the collector: `{ "authorization": "Bearer ${COLLECTOR_KEY}" }`.'),
})

const embeddingsSchema = z.strictObject({
  provider: z
    .enum(['static', 'http'])
    .default('static')
    .describe(
      'What turns texts into vectors: `static` is the built-in table, `http` a service. The built-in table answers while another one is unavailable.',
    ),
  table: z
    .string()
    .min(1)
    .optional()
    .describe('The file of a table of your own in place of the built-in one; `npm run train:table` makes one.'),
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address such as http://127.0.0.1:11434/v1' })
    .optional()
    .describe('`http`: an OpenAI-compatible service such as Ollama, vLLM or OpenAI, up to `/v1` or `/v1/embeddings`.'),
  model: z.string().trim().min(1, 'must not be empty').optional().describe('`http`: the name of its model.'),
  apiKey: z.string().min(1).optional().describe('`http`: sent as a bearer token: `"${OPENAI_API_KEY}"`.'),
  dimensions: z
    .int()
    .min(8)
    .max(8_192)
    .optional()
    .describe('`http`: the length of vectors, for models that can shorten theirs. The model’s own if absent.'),
  weight: z
    .number()
    .min(0.25)
    .max(4)
    .optional()
    .describe('`http`: the weight of its similarity beside words; the built-in table has 1. 1 if absent.'),
  timeoutMs: z
    .int()
    .min(100)
    .max(600_000)
    .default(30_000)
    .describe('How long one batch of tools may take in the service or the model.'),
  queryTimeoutMs: z
    .int()
    .min(10)
    .max(60_000)
    .default(400)
    .describe('How long a search waits before the built-in table answers.'),
})

const bearerToken = z.string().regex(/^[\x21-\x7e]{1,8192}$/, 'must be a bearer token: no spaces, no line breaks')

/** Which Search API answers `cloud`. */
const searchApiSchema = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address such as http://127.0.0.1:7421' })
    .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), 'must not have a user name or password; use token')
    .optional()
    .describe('Its address; `tooldex search-api` prints one. Without it nothing is sent anywhere, and `bm25` answers.'),
  token: bearerToken.optional().describe('Sent as a bearer token, to this address only: `"${SEARCH_API_TOKEN}"`.'),
  projectTokens: z
    .record(z.string(), bearerToken)
    .default({})
    .describe('By project id: tokens to use in place of `token`, if each is valid for one project.'),
  timeoutMs: z
    .int()
    .min(50)
    .max(60_000)
    .default(5_000)
    .describe('How long a search waits for it before `bm25` answers.'),
})

/** Where the search index is. */
const searchSchema = z.strictObject({
  engine: z
    .enum(['memory', 'lance'])
    .default('memory')
    .describe(
      '`memory` keeps the index of all tools in the process, up to some 100,000 tools. `lance` keeps it in LanceDB, for more: it needs the package `@tooldex/engine-lance` beside the gateway.',
    ),
  at: z
    .string()
    .min(1)
    .optional()
    .describe(
      '`lance`: a folder, or the URL of an object store (`s3://bucket/path`, `gs://…`, `az://…`), the same for all replicas. The folder `engine` in `dataDir` if absent.',
    ),
  storage: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      '`lance`: settings of the object store, as LanceDB names them: `{ "aws_secret_access_key": "${AWS_SECRET}" }`.',
    ),
})

/** A registry of servers. */
const registrySchema = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), 'must not have a user name or password; use headers')
    .describe('Its base address, without `/v0.1`.'),
  headers: z
    .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header'), z.string())
    .default({})
    .describe('Headers for this registry only: `{ "authorization": "Bearer ${REGISTRY_TOKEN}" }`.'),
})

const OFFICIAL_REGISTRY = 'https://registry.modelcontextprotocol.io'

const auditSchema = z.strictObject({
  file: z
    .string()
    .min(1)
    .optional()
    .describe('Entries go to this file as JSON lines and not to the database, so that pages and filters show none.'),
  queries: z
    .boolean()
    .default(true)
    .describe(
      'Whether entries have the texts of searches, cut at 500 characters and without things that look like secrets. A file never has them.',
    ),
  keepQueryDays: z.int().positive().default(30).describe('Older texts of searches are removed; their entries stay.'),
  keepDays: z.int().positive().default(90).describe('Older entries are removed.'),
  maxEntries: z.int().positive().default(5_000_000).describe('Beyond this number the oldest are removed.'),
})

/** `tooldex.json`, after `${VARIABLES}` were replaced. Unknown keys are refused. */
export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('For editors; `tooldex schema` prints the schema.'),
  mcpServers: serversSchema.optional().describe('The servers by id. Order is priority.'),
  servers: serversSchema.optional().describe('VS Code’s spelling of `mcpServers`.'),
  projects: z.record(projectId, projectSchema).default({}).describe('The projects by id.'),
  endpoints: z.record(endpointId, endpointSchema).default({}).describe('The endpoints by id, served at `/<id>/mcp`.'),
  tokens: z.array(tokenSchema).default([]).describe('The tokens that may connect.'),
  middleware: middlewareSchema
    .optional()
    .describe(
      'MCProxy’s tool search, for the project `default`; what `projects.default` itself sets takes precedence.',
    ),
  trust: trustMode
    .optional()
    .describe(
      'What happens when servers change their definitions, for all servers: `standard` records harmless changes and holds the others for approval, `strict` holds every change and every new tool, `off` none. `standard` if nothing is set anywhere.',
    ),
  auth: authSchema
    .optional()
    .describe(
      'An identity provider whose JWTs are accepted beside the gateway’s own tokens. A change needs a restart.',
    ),
  rateLimits: rateLimitsSchema.prefault({}).describe('Limits on the rate of requests. A change needs a restart.'),
  listen: listenSchema.prefault({}).describe('Where the gateway listens. A change needs a restart.'),
  dataDir: z.string().min(1).default('~/.tooldex').describe('The folder for its data. A change needs a restart.'),
  database: z
    .string()
    .regex(/^postgres(?:ql)?:\/\/./, 'must be an address such as postgres://user@host/name')
    .optional()
    .describe(
      'The PostgreSQL database for stored configuration and the audit log: `"${DATABASE_URL}"`. Without one, a SQLite file in `dataDir`. Several hosts are separated by commas: `postgres://h1:5432,h2:5432/name`. A change needs a restart.',
    ),
  audit: auditSchema.prefault({}).describe('Where the audit log is kept, and for how long. A change needs a restart.'),
  logLevel: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('The lowest level that is logged. A change needs a restart.'),
  startGraceMs: z
    .int()
    .min(0)
    .max(60_000)
    .default(3_000)
    .describe(
      'How long lists and searches wait for servers whose tools are not known yet, counted from their start; a call of such a tool waits as long. 0 does not wait. A change needs a restart.',
    ),
  drainMs: z
    .int()
    .min(0)
    .max(600_000)
    .default(25_000)
    .describe(
      'How long a gateway that is asked to stop lets requests under way finish. Meanwhile `/readyz` answers 503 and no new session begins; a second signal ends the wait. 0 does not wait. A change needs a restart.',
    ),
  embeddings: embeddingsSchema
    .prefault({})
    .describe('The embedding model of the strategies `embeddings` and `hybrid`. A change needs a restart.'),
  learning: z
    .boolean()
    .default(true)
    .describe(
      'Whether searches learn from use; false turns it off in all projects. Off as well if `audit.queries` is false. A change needs a restart.',
    ),
  searchApi: searchApiSchema
    .prefault({})
    .describe('The Search API that answers the strategy `cloud`. A change needs a restart.'),
  search: searchSchema.prefault({}).describe('Where the search index of the tools is kept. A change needs a restart.'),
  registries: z
    .array(registrySchema)
    .max(10)
    .default([{ url: OFFICIAL_REGISTRY, headers: {} }])
    .describe(
      'Registries that speak the official MCP registry API, where `tooldex add` and the console find servers. An empty list turns them off. A change needs a restart.',
    ),
  telemetry: telemetrySchema.prefault({}).describe('Traces. A change needs a restart.'),
})

/** A configuration with defaults filled in. */
export type Config = z.output<typeof configSchema>
/** One server of a configuration. */
export type ServerConfig = z.output<typeof serverConfigSchema>
/** One project of a configuration. */
export type ProjectConfig = z.output<typeof projectSchema>
/** One endpoint of a configuration. */
export type EndpointConfig = z.output<typeof endpointSchema>
/** One token of a configuration. */
export type TokenConfig = z.output<typeof tokenSchema>
/** What turns texts into vectors. */
export type EmbeddingsConfig = Config['embeddings']
/** An identity provider of a configuration. */
export type AuthConfig = z.output<typeof authSchema>
/** Rate limits of a configuration. */
export type RateLimitsConfig = z.output<typeof rateLimitsSchema>
/** Limits of connections in a configuration. */
export type ListenLimitsConfig = z.output<typeof listenLimitsSchema>
/** Which Search API answers `cloud`. */
export type SearchApiConfig = Config['searchApi']
/** Where the search index is. */
export type SearchConfig = Config['search']
/** A registry of servers. */
export type RegistryConfig = z.output<typeof registrySchema>
/** How much servers may change by themselves. */
export type TrustSetting = z.output<typeof trustMode>
/** The lowest level that is logged. */
export type LogLevel = Config['logLevel']
