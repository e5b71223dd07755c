import { z } from 'zod'
import { endpointId, endpointSchema } from '../config.ts'
import { type AdminRoute, effectiveSettings, entryFields, pageOf, pageQuery, patchOf, removalSchema } from './parts.ts'

const tag = 'endpoints'
const params = z.strictObject({ endpoint: z.string().describe('The id of the endpoint.') })

/** An endpoint: its configuration and the resulting settings. */
const adminEndpointSchema = z.strictObject({
  id: z.string(),
  ...entryFields,
  path: z.string().describe('`/mcp` for the default one, else `/<id>/mcp`.'),
  project: z.string(),
  isServed: z.boolean().describe('false while its project is missing; it then answers 404.'),
  auth: z.enum(['token', 'none']),
  transparent: z.boolean(),
  settings: effectiveSettings,
  config: endpointSchema.describe('As it was written, with its original key names.'),
})

const snippet = z.strictObject({
  client: z.string(),
  kind: z.enum(['command', 'file', 'request']),
  file: z.string().optional().describe('The file that the text goes into.'),
  text: z.string().describe('`<token>` stands where a token goes.'),
})

/** Everything about endpoints. */
export const endpointRoutes = {
  listEndpoints: {
    method: 'GET',
    path: '/endpoints',
    tag,
    summary: 'The endpoints.',
    query: pageQuery,
    responses: { 200: pageOf(adminEndpointSchema) },
  },
  getEndpoint: {
    method: 'GET',
    path: '/endpoints/{endpoint}',
    tag,
    summary: 'One endpoint.',
    params,
    responses: { 200: adminEndpointSchema },
    problems: ['ENDPOINT_NOT_FOUND'],
  },
  createEndpoint: {
    method: 'POST',
    path: '/endpoints',
    tag,
    summary: 'Adds an endpoint.',
    body: z.strictObject({ id: endpointId, ...endpointSchema.shape }),
    responses: { 201: adminEndpointSchema },
    problems: ['NAME_TAKEN'],
  },
  changeEndpoint: {
    method: 'PATCH',
    path: '/endpoints/{endpoint}',
    tag,
    summary:
      'Changes an endpoint. An override that is `unset`, or `INHERIT` in MetaMCP’s names, is inherited from the project again.',
    params,
    body: patchOf(endpointSchema.shape),
    responses: { 200: adminEndpointSchema },
    heedsRevision: true,
    problems: ['ENDPOINT_NOT_FOUND', 'FILE_MANAGED', 'REVISION_CONFLICT'],
  },
  removeEndpoint: {
    method: 'DELETE',
    path: '/endpoints/{endpoint}',
    tag,
    summary: 'Removes an endpoint. Clients that use it get 404, and their streams end.',
    params,
    responses: { 200: removalSchema },
    heedsRevision: true,
    problems: ['ENDPOINT_NOT_FOUND', 'FILE_MANAGED', 'REVISION_CONFLICT'],
  },
  endpointSnippets: {
    method: 'GET',
    path: '/endpoints/{endpoint}/snippets',
    tag,
    summary: 'Commands and configuration to paste, for well-known clients and model APIs.',
    params,
    query: z.strictObject({ url: z.url().optional().describe('The address under which clients reach the gateway.') }),
    responses: { 200: z.strictObject({ url: z.string(), items: z.array(snippet) }) },
    problems: ['ENDPOINT_NOT_FOUND'],
  },
} as const satisfies Record<string, AdminRoute>

/** An endpoint as the API shows it. */
export type AdminEndpoint = z.output<typeof adminEndpointSchema>
/** The body that changes one. */
export type EndpointPatch = z.output<typeof endpointRoutes.changeEndpoint.body>
/** A snippet to connect a client. */
export type Snippet = z.output<typeof snippet>
