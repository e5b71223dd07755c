import { z } from 'zod'
import { serverId } from '../config.ts'
import { limitsSchema, serverConfigSchema } from '../server-config.ts'
import {
  addressable,
  type AdminRoute,
  count,
  entryFields,
  moment,
  pageOf,
  pageQuery,
  patchOf,
  removalSchema,
} from './parts.ts'

const tag = 'servers'
const params = z.strictObject({ server: z.string().describe('The id of the server.') })

const statusSchema = z.strictObject({
  state: z.enum(['starting', 'running', 'idle', 'stopped', 'failed', 'needs-login', 'held']),
  since: moment,
  pid: z.int().optional(),
  era: z.enum(['legacy', 'modern']).optional(),
  lastError: z.strictObject({ code: z.string(), message: z.string(), at: moment }).optional(),
  loginUrl: z.string().optional().describe('The page that a person opens while the state is `needs-login`.'),
  restarts: z.int(),
  instances: z
    .strictObject({
      perClient: z.boolean().describe('Whether each client gets a process of its own.'),
      running: z.int().describe('Processes that run for one client each, beside the one that all share.'),
    })
    .optional()
    .describe('Absent for a server behind a URL.'),
})

/** A server: its configuration and its state. Secrets are masked. */
export const serverSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  ...entryFields,
  enabled: z.boolean(),
  transport: z.enum(['stdio', 'http', 'sse']),
  status: statusSchema.optional().describe('Absent if no gateway runs.'),
  counts: z.strictObject({ tools: z.int(), prompts: z.int(), resources: z.int() }),
  isLastGood: z.boolean().describe('The counts are of an earlier connection.'),
  problem: z
    .string()
    .optional()
    .describe('Why its lists could not be read when last asked for, or why it cannot start.'),
  toolsUnknown: z
    .string()
    .optional()
    .describe('Present if it runs and its tools are unknown, because it could not list them: the reason.'),
  remarks: z.array(z.string()).describe('Entries of its lists that were left out or repaired, in sentences.'),
  latency: z
    .strictObject({ p50Ms: z.number(), p95Ms: z.number(), calls: z.int() })
    .optional()
    .describe('Of its latest calls, at most 100, since the gateway started.'),
  projects: z.array(z.string()).describe('Ids of the projects that have it.'),
  missingValues: z
    .array(z.string())
    .optional()
    .describe('Names that its configuration refers to and that have no value. It stays off until `inputs` has them.'),
  config: serverConfigSchema.describe(
    'Values of environment variables and headers are masked, and so are secrets in arguments and URLs.',
  ),
})

const serverList = z.strictObject({ items: z.array(serverSchema).describe('In order of priority.') })
const newServer = z.strictObject({ id: addressable(serverId), ...serverConfigSchema.shape })

const pasted = z.strictObject({
  text: z
    .string()
    .max(4_000_000)
    .describe(
      'The file of any client (JSON with comments, TOML, YAML), `{ "mcpServers": { … } }`, its inner object, or one entry.',
    ),
})

/** A server that could be added. */
export const previewedServer = z.strictObject({
  id: z.string(),
  isNew: z.boolean(),
  transport: z.enum(['stdio', 'http', 'sse']).optional(),
  runs: z
    .string()
    .optional()
    .describe('The command line that would be started; arguments are masked, because they may be secret.'),
  connects: z.string().optional().describe('The address, without user, password and query.'),
  variables: z.array(z.string()).describe('Names of environment variables and headers.'),
  missingVariables: z
    .array(z.string())
    .describe('Names that it refers to: send their values as `inputs`, or set them where the gateway runs.'),
  inputs: z
    .array(z.strictObject({ id: z.string(), secret: z.boolean(), description: z.string().optional() }))
    .describe('Those of them that the file itself describes.'),
  ignoredKeys: z.array(z.string()).describe('Keys of other programs that mean nothing here.'),
  notes: z.array(z.string()).describe('Everything else that is not taken over, or differs, in sentences.'),
  problems: z.array(z.strictObject({ path: z.string(), message: z.string() })),
  config: serverConfigSchema.optional().describe('Ready to be sent to `POST /servers`; absent with problems.'),
})

const previewed = z.strictObject({
  items: z.array(previewedServer),
  notes: z.array(z.string()).describe('Entries that are left out, in sentences.'),
})

const limitsPatch = patchOf(limitsSchema.shape).omit({ unset: true })
const serverPatch = patchOf(serverConfigSchema.shape).extend({
  limits: limitsPatch.optional().describe('Only the given limits change.'),
})

const logLine = z.strictObject({ at: moment, line: z.string() })

/** The outcome of a test of a connection. */
export const tested = z.strictObject({
  ok: z.boolean(),
  name: z.string().optional().describe('As the server calls itself.'),
  version: z.string().optional(),
  tools: z.int().optional().describe('How many tools it lists.'),
  durationMs: z.int(),
  problem: z
    .strictObject({ code: z.string(), message: z.string().describe('The failure, its reason and a remedy.') })
    .optional()
    .describe('Why it could not be used; absent if `ok`.'),
  log: z
    .array(z.string())
    .describe('The last lines of the standard error of a program, oldest first, with secrets masked.'),
})

/** Everything about servers. */
export const serverRoutes = {
  listServers: {
    method: 'GET',
    path: '/servers',
    tag,
    summary: 'The servers in order of priority, with their live status.',
    query: pageQuery,
    responses: { 200: pageOf(serverSchema) },
  },
  getServer: {
    method: 'GET',
    path: '/servers/{server}',
    tag,
    summary: 'One server.',
    params,
    responses: { 200: serverSchema },
  },
  createServer: {
    method: 'POST',
    path: '/servers',
    tag,
    summary: 'Adds a server and, unless it starts on demand, starts it.',
    body: newServer,
    responses: { 201: serverSchema },
    problems: ['NAME_TAKEN', 'FRESH_PROOF_REQUIRED'],
  },
  previewServers: {
    method: 'POST',
    path: '/servers/preview',
    tag,
    summary: 'The servers that a pasted configuration would add. Nothing is stored and nothing is started.',
    body: pasted,
    responses: { 200: previewed },
  },
  testNewServer: {
    method: 'POST',
    path: '/servers/test',
    tag,
    summary:
      'Starts or connects to a server with these values, lists its tools and ends it again. Nothing is stored. Takes at most a minute.',
    body: newServer.extend({ id: addressable(serverId).default('new server') }),
    responses: { 200: tested },
    problems: ['FRESH_PROOF_REQUIRED', 'SERVER_BUSY', 'NOT_RUNNING'],
  },
  testServer: {
    method: 'POST',
    path: '/servers/{server}/test',
    tag,
    summary:
      'The same for a server as it would be after a change. The server itself keeps running, and nothing is stored.',
    params,
    body: serverPatch,
    responses: { 200: tested },
    problems: ['SERVER_NOT_FOUND', 'FILE_MANAGED', 'FRESH_PROOF_REQUIRED', 'SERVER_BUSY', 'NOT_RUNNING'],
  },
  changeServer: {
    method: 'PATCH',
    path: '/servers/{server}',
    tag,
    summary:
      'Changes a server. It alone restarts, unless only permissions of tools changed. A masked secret keeps its value.',
    params,
    body: serverPatch,
    responses: { 200: serverSchema },
    heedsRevision: true,
    problems: ['SERVER_NOT_FOUND', 'FILE_MANAGED', 'REVISION_CONFLICT', 'FRESH_PROOF_REQUIRED'],
  },
  orderServers: {
    method: 'PUT',
    path: '/servers/order',
    tag,
    summary: 'Sets the order of priority of stored servers; those of the file come first, in its order.',
    body: z.strictObject({ servers: z.array(z.string()).describe('All ids of stored servers, each once.') }),
    responses: { 200: serverList },
  },
  removeServer: {
    method: 'DELETE',
    path: '/servers/{server}',
    tag,
    summary: 'Stops and removes a server. Projects and tokens lose it; calls under way end with an error.',
    params,
    responses: { 200: removalSchema },
    heedsRevision: true,
    problems: ['SERVER_NOT_FOUND', 'FILE_MANAGED', 'REVISION_CONFLICT'],
  },
  enableServer: {
    method: 'POST',
    path: '/servers/{server}/enable',
    tag,
    summary: 'Uses the server again.',
    params,
    responses: { 200: serverSchema },
    problems: ['SERVER_NOT_FOUND', 'FILE_MANAGED'],
  },
  disableServer: {
    method: 'POST',
    path: '/servers/{server}/disable',
    tag,
    summary: 'Stops the server and keeps its entry.',
    params,
    responses: { 200: serverSchema },
    problems: ['SERVER_NOT_FOUND', 'FILE_MANAGED'],
  },
  restartServer: {
    method: 'POST',
    path: '/servers/{server}/restart',
    tag,
    summary: 'Stops and starts the server. Answers when it runs, or with the reason why it does not.',
    params,
    responses: { 200: serverSchema },
    problems: ['SERVER_NOT_FOUND', 'SERVER_STOPPED', 'SERVER_START_FAILED', 'NOT_RUNNING'],
  },
  serverLogs: {
    method: 'GET',
    path: '/servers/{server}/logs',
    tag,
    summary: 'The latest lines of its standard error, oldest first. With `Accept: text/event-stream` new lines follow.',
    params,
    alsoProduces: ['text/event-stream'],
    query: z.strictObject({ lines: count(500, 200).describe('How many at most.') }),
    responses: { 200: z.strictObject({ items: z.array(logLine) }) },
    problems: ['SERVER_NOT_FOUND'],
  },
  serverTools: {
    method: 'GET',
    path: '/servers/{server}/tools',
    tag,
    summary: 'Its tools, as it listed them.',
    params,
    responses: {
      200: z.strictObject({
        items: z.array(
          z.strictObject({
            key: z.string(),
            name: z.string(),
            allowed: z.boolean(),
            definition: z.record(z.string(), z.unknown()),
            repairs: z.array(z.string()),
            tokens: z.int(),
          }),
        ),
      }),
    },
    problems: ['SERVER_NOT_FOUND'],
  },
  loginServer: {
    method: 'POST',
    path: '/servers/{server}/login',
    tag,
    summary: 'The page where a person logs in to the server.',
    params,
    responses: { 200: z.strictObject({ loginUrl: z.string() }) },
    problems: ['SERVER_NOT_FOUND', 'NOT_RUNNING', 'LOGIN_NOT_NEEDED'],
  },
  logoutServer: {
    method: 'POST',
    path: '/servers/{server}/logout',
    tag,
    summary: 'Deletes the login at the server.',
    params,
    responses: { 204: null },
    problems: ['SERVER_NOT_FOUND'],
  },
} as const satisfies Record<string, AdminRoute>

/** A server as the API shows it. */
export type AdminServer = z.output<typeof serverSchema>
/** The body that adds one. */
export type NewServer = z.output<typeof newServer>
/** The body that changes one. */
export type ServerPatch = z.output<typeof serverPatch>
/** The servers that a pasted configuration would add. */
export type ServerPreview = z.output<typeof previewed>
/** The outcome of a test of a connection. */
export type ServerTest = z.output<typeof tested>
