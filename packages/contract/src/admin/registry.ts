import { z } from 'zod'
import { serverId } from '../config.ts'
import { addressable, type AdminRoute, flag, moment } from './parts.ts'
import { serverSchema, tested } from './servers.ts'

const tag = 'registry'

/** A value that a server takes from its user. */
const inputSchema = z.strictObject({
  key: z.string().describe('The key in `values`.'),
  description: z.string().optional(),
  isRequired: z.boolean(),
  isSecret: z.boolean(),
  isRepeated: z.boolean().describe('Takes several values, one per line.'),
  format: z.enum(['string', 'number', 'boolean', 'filepath']),
  default: z.string().optional(),
  placeholder: z.string().optional(),
  choices: z.array(z.string()).optional(),
})

const waySchema = z.strictObject({
  id: z.string().describe('A digest of everything below: it changes with the entry in the registry.'),
  kind: z.enum(['npm', 'pypi', 'oci', 'nuget', 'remote']),
  transport: z.enum(['stdio', 'http', 'sse']),
  package: z.string().optional().describe('The package with its version.'),
  runs: z.string().optional().describe('The command line that would be started; inputs as `<key>`.'),
  connects: z.string().optional().describe('The address that the gateway would connect to; inputs as `<key>`.'),
  inputs: z.array(inputSchema),
})

const foundServer = z.strictObject({
  registry: z.string().describe('The registry that lists it.'),
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  publisher: z.string().describe('The namespace of the name, which the registry gave to its publisher.'),
  version: z.string(),
  status: z.enum(['active', 'deprecated']),
  statusMessage: z.string().optional(),
  repository: z.string().optional(),
  website: z.string().optional(),
  publishedAt: moment.optional(),
  suggestedId: z.string().describe('An id that no server has yet.'),
  ways: z.array(waySchema).describe('How it can be run or reached, the first one by default.'),
  unusable: z
    .array(z.strictObject({ what: z.string(), reason: z.string() }))
    .describe('Packages and addresses of the entry that cannot be used.'),
})

const askedRegistry = z.strictObject({
  url: z.string(),
  fetchedAt: moment.optional().describe('When it gave this answer; absent if it never did.'),
  isCached: z.boolean().describe('The answer was kept from an earlier request.'),
  isComplete: z.boolean().describe('false if it has more entries than were read.'),
  skipped: z.int().describe('Entries that could not be read.'),
  problem: z.string().optional().describe('Why it did not answer now.'),
})

const chosenServer = z.strictObject({
  registry: z.string().optional().describe('Where it was found; by default the first registry that lists it.'),
  name: z.string().min(1).max(200),
  way: z.string().optional().describe('The `id` of a way; by default the first one.'),
  id: addressable(serverId).optional().describe('The id of the new server; by default the suggested one.'),
  values: z.record(z.string(), z.string().max(20_000)).default({}).describe('By the `key` of an input.'),
})

/** Servers from registries that speak the official MCP registry API. */
export const registryRoutes = {
  searchRegistry: {
    method: 'GET',
    path: '/registry/servers',
    tag,
    summary:
      'Servers of the configured registries whose names contain the words, best first. A registry that cannot be reached is answered from earlier answers.',
    query: z.strictObject({
      search: z.string().trim().min(1).max(200).describe('Words, or the exact name of a server.'),
      refresh: flag.optional().describe('`true` asks the registries even if a recent answer is kept.'),
    }),
    responses: { 200: z.strictObject({ items: z.array(foundServer), registries: z.array(askedRegistry) }) },
  },
  addFromRegistry: {
    method: 'POST',
    path: '/registry/servers',
    tag,
    summary:
      'Adds a server of a registry. Without a required value it is added switched off, and `missing` names the value.',
    body: chosenServer,
    responses: { 201: z.strictObject({ server: serverSchema, missing: z.array(z.string()) }) },
    problems: ['SERVER_NOT_FOUND', 'NAME_TAKEN', 'REVISION_CONFLICT', 'REGISTRY_UNAVAILABLE', 'FRESH_PROOF_REQUIRED'],
  },
  testFromRegistry: {
    method: 'POST',
    path: '/registry/servers/test',
    tag,
    summary: 'Starts or connects to a server of a registry, lists its tools and ends it again. Nothing is stored.',
    body: chosenServer,
    responses: { 200: tested },
    problems: [
      'SERVER_NOT_FOUND',
      'REVISION_CONFLICT',
      'REGISTRY_UNAVAILABLE',
      'FRESH_PROOF_REQUIRED',
      'SERVER_BUSY',
      'NOT_RUNNING',
    ],
  },
} as const satisfies Record<string, AdminRoute>

/** A server that a registry lists. */
export type RegistryServer = z.output<typeof foundServer>
/** A way to run or reach a server of a registry. */
export type RegistryWay = z.output<typeof waySchema>
/** A value that a server of a registry takes. */
export type RegistryInput = z.output<typeof inputSchema>
/** The state of a registry that was asked. */
export type AskedRegistry = z.output<typeof askedRegistry>
