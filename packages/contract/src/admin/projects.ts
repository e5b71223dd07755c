import { z } from 'zod'
import { endpointSchema, projectId, projectSchema } from '../config.ts'
import {
  addressable,
  type AdminRoute,
  effectiveSettings,
  entryFields,
  pageOf,
  pageQuery,
  patchOf,
  removalSchema,
} from './parts.ts'

const tag = 'projects'
const params = z.strictObject({ project: z.string().describe('The id of the project.') })

/** A project: its configuration and the resulting settings. */
const adminProjectSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  ...entryFields,
  optimization: z
    .enum(['lexical', 'regex', 'bm25', 'embeddings', 'hybrid', 'cloud'])
    .nullable()
    .describe('The strategy of tool search in force; null = tool search is off.'),
  servers: z.array(z.string()).describe('Ids of its servers, in order of priority; missing ones are left out.'),
  missingServers: z.array(z.string()).describe('Servers that it names and that do not exist.'),
  endpoints: z.array(z.string()),
  tools: z
    .strictObject({ eligible: z.int(), all: z.int() })
    .describe('`eligible`: can be used now; `all`: tools of its servers.'),
  settings: effectiveSettings,
  config: projectSchema.describe('As it was written, with its original key names.'),
})

const seen = z.strictObject({
  client: z.string().describe('`2026-07-28`: any client of that revision; `claude-code`, `other`: with a session.'),
  exposure: z.string(),
  reason: z.string().describe('Why it is this exposure.'),
  tokens: z.int().describe('Approximate cost of the list in a model’s context.'),
  names: z.array(z.string()).describe('The listed names, at most 1,000.'),
  listed: z.int(),
})

const previewBody = z.strictObject({
  project: patchOf(projectSchema.shape).optional().describe('Changes that are not saved.'),
  endpoint: patchOf(endpointSchema.shape).optional().describe('An endpoint’s overrides that are not saved.'),
  endpointId: z.string().optional().describe('The endpoint to look through; else one without overrides.'),
  token: z.string().optional().describe('The id of the token to look with; else one that may use everything.'),
})

/** Everything about projects. */
export const projectRoutes = {
  listProjects: {
    method: 'GET',
    path: '/projects',
    tag,
    summary: 'The projects.',
    query: pageQuery,
    responses: { 200: pageOf(adminProjectSchema) },
  },
  getProject: {
    method: 'GET',
    path: '/projects/{project}',
    tag,
    summary: 'One project.',
    params,
    responses: { 200: adminProjectSchema },
    problems: ['PROJECT_NOT_FOUND'],
  },
  createProject: {
    method: 'POST',
    path: '/projects',
    tag,
    summary: 'Adds a project. Names are trimmed and unique, ignoring case; an absent id is made from the name.',
    body: z.strictObject({ id: addressable(projectId).optional(), ...projectSchema.shape }),
    responses: { 201: adminProjectSchema },
    problems: ['NAME_TAKEN'],
  },
  changeProject: {
    method: 'PATCH',
    path: '/projects/{project}',
    tag,
    summary:
      'Changes a project: name, servers and their order, tools, disclosure. `optimization: null` turns tool search off.',
    params,
    body: patchOf(projectSchema.shape),
    responses: { 200: adminProjectSchema },
    heedsRevision: true,
    problems: ['PROJECT_NOT_FOUND', 'NAME_TAKEN', 'FILE_MANAGED', 'REVISION_CONFLICT'],
  },
  removeProject: {
    method: 'DELETE',
    path: '/projects/{project}',
    tag,
    summary:
      'Removes a project with its endpoints; tokens lose it. Clients that use it get 404, and their streams end.',
    params,
    responses: { 200: removalSchema },
    heedsRevision: true,
    problems: ['PROJECT_NOT_FOUND', 'FILE_MANAGED', 'REVISION_CONFLICT'],
  },
  previewProject: {
    method: 'POST',
    path: '/projects/{project}/preview',
    tag,
    summary: 'The tools that clients would see under given settings, and their cost in tokens. Nothing is saved.',
    params,
    body: previewBody,
    responses: {
      200: z.strictObject({
        tools: z.int().describe('Tools that can be used.'),
        tokensIfAllWereListed: z.int(),
        settings: effectiveSettings,
        clients: z.array(seen),
      }),
    },
    problems: ['PROJECT_NOT_FOUND'],
  },
} as const satisfies Record<string, AdminRoute>

/** A project as the API shows it. */
export type AdminProject = z.output<typeof adminProjectSchema>
/** The body that changes one. */
export type ProjectPatch = z.output<typeof projectRoutes.changeProject.body>
/** The body that previews one. */
export type ProjectPreviewAsk = z.output<typeof previewBody>
/** The tools that clients would see. */
export type ProjectPreview = z.output<(typeof projectRoutes.previewProject.responses)[200]>
