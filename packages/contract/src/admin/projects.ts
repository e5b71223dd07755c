import { z } from 'zod'
import { endpointSchema, projectId, projectSchema } from '../config.ts'
import { addressable, type AdminRoute, effectiveSettings, entryFields, patchOf, removalSchema } from './parts.ts'

const tag = 'projects'
const params = z.strictObject({ project: z.string().describe('The id of the project.') })

/** A project: what was decided, and what follows. */
const adminProjectSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  ...entryFields,
  optimization: z
    .enum(['lexical', 'regex', 'bm25', 'embeddings', 'hybrid', 'cloud'])
    .nullable()
    .describe('The strategy of tool search in force; null = tool search is off.'),
  servers: z.array(z.string()).describe('Ids of its servers, in order of priority; missing ones are left out.'),
  missingServers: z.array(z.string()).describe('Servers that it names and that are gone.'),
  endpoints: z.array(z.string()),
  tools: z
    .strictObject({ eligible: z.int(), all: z.int() })
    .describe('That can be used now, and that its servers have.'),
  settings: effectiveSettings,
  config: projectSchema.describe('As it was written, under the names that were used.'),
})

const seen = z.strictObject({
  client: z.string().describe('`2026-07-28`: any client of that revision; `claude-code`, `other`: with a session.'),
  exposure: z.string(),
  reason: z.string().describe('Why it is this exposure.'),
  tokens: z.int().describe('What the list costs in a model’s context, about.'),
  names: z.array(z.string()).describe('What is listed, at most 1,000 names.'),
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
    summary: 'All projects.',
    responses: { 200: z.strictObject({ items: z.array(adminProjectSchema) }) },
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
    summary: 'Adds a project. Names are trimmed and unique whatever the case; without an id it is made from the name.',
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
    summary: 'What clients would see under given settings, and how many tokens it costs. Nothing is saved.',
    params,
    body: previewBody,
    responses: {
      200: z.strictObject({
        tools: z.int().describe('That can be used.'),
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
/** What is sent to change one. */
export type ProjectPatch = z.output<typeof projectRoutes.changeProject.body>
/** What is sent to preview one. */
export type ProjectPreviewAsk = z.output<typeof previewBody>
/** What clients would see. */
export type ProjectPreview = z.output<(typeof projectRoutes.previewProject.responses)[200]>
