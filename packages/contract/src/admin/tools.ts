import { z } from 'zod'
import { projectToolSchema } from '../config.ts'
import { type AdminRoute, count, patchOf } from './parts.ts'

const tag = 'tools'
const params = z.strictObject({ tool: z.string().describe('The tool key, `server:tool`.') })

const inProject = z.strictObject({
  project: z.string(),
  eligible: z.boolean().describe('Whether a token that may use everything can use it there now.'),
  forbiddenBy: z.enum(['server', 'project', 'allow-list']).optional(),
  deferred: z.boolean().describe('Whether it is marked as deferred there; endpoints may override it.'),
  override: projectToolSchema.optional().describe('The project’s settings for it.'),
  managedBy: z.enum(['store', 'file', 'built-in']),
  revision: z.string().optional().describe('Of the project. Send it as `If-Match` with a change of `override`.'),
})

/** A tool of a server. */
const toolSchema = z.strictObject({
  key: z.string(),
  name: z.string(),
  server: z.string(),
  serverName: z.string(),
  serverState: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  annotations: z.record(z.string(), z.unknown()).optional(),
  allowed: z.boolean().describe('false: forbidden for all tokens, by the server’s `toolPermissions`.'),
  tokens: z.int().describe('Approximate cost of its definition in a model’s context.'),
  repairs: z.array(z.string()),
  projects: z.array(inProject),
})

const toolDetail = z.strictObject({
  ...toolSchema.shape,
  definition: z.record(z.string(), z.unknown()).describe('The complete definition by the server. Untrusted text.'),
})

const toolPage = z.strictObject({
  items: z.array(toolSchema),
  total: z.int(),
  nextCursor: z.string().optional(),
})

const yesOrNo = (what: string) => z.enum(['true', 'false']).optional().describe(what)

/** Filters of tools in a URL. All given ones must match. */
const toolFilter = {
  server: z.string().optional(),
  project: z.string().optional().describe('Only tools of servers of this project.'),
  allowed: yesOrNo('Whether it can be used: with `project` there, else at all.'),
  readOnly: yesOrNo('Whether its server annotates it as read-only.'),
  destructive: yesOrNo('Whether its server annotates it as destructive; read-only tools are not.'),
  idempotent: yesOrNo('Whether its server annotates it as idempotent.'),
  openWorld: yesOrNo('Whether its server annotates it as open-world.'),
  deferred: yesOrNo('Whether it is marked as deferred: with `project` there, else in any project.'),
  pinned: yesOrNo('Whether it is pinned: with `project` there, else in any project.'),
}

/** Everything about tools. */
export const toolRoutes = {
  listTools: {
    method: 'GET',
    path: '/tools',
    tag,
    summary: 'The tools of all servers, by key; with `q` best first, ranked by tool search.',
    query: z.strictObject({
      q: z.string().max(1_000).optional(),
      ...toolFilter,
      limit: count(1_000, 50),
      cursor: z.string().optional(),
    }),
    responses: { 200: toolPage },
    problems: ['PROJECT_NOT_FOUND'],
  },
  getTool: {
    method: 'GET',
    path: '/tools/{tool}',
    tag,
    summary: 'One tool with its complete definition.',
    params,
    responses: { 200: toolDetail },
    problems: ['TOOL_NOT_FOUND'],
  },
  changeTool: {
    method: 'PATCH',
    path: '/tools/{tool}',
    tag,
    summary: 'Forbids or allows a tool for all tokens. Takes effect immediately; clients that listed it are notified.',
    params,
    body: z.strictObject({ allowed: z.boolean() }),
    responses: { 200: toolDetail },
    problems: ['SERVER_NOT_FOUND', 'FILE_MANAGED'],
  },
  changeProjectTool: {
    method: 'PATCH',
    path: '/projects/{project}/tools/{tool}',
    tag,
    summary: 'Sets a project’s permission, pin, deferral, name and description of one tool. Takes effect immediately.',
    params: z.strictObject({ project: z.string(), tool: z.string() }),
    body: patchOf(projectToolSchema.shape),
    responses: { 200: toolDetail },
    heedsRevision: true,
    problems: ['PROJECT_NOT_FOUND', 'FILE_MANAGED', 'REVISION_CONFLICT', 'NAME_TAKEN'],
  },
  changeProjectTools: {
    method: 'PATCH',
    path: '/projects/{project}/tools',
    tag,
    summary: 'Changes the settings of many tools in a project: all of them, or none.',
    params: z.strictObject({ project: z.string() }),
    body: z.strictObject({
      tools: z
        .record(z.string(), patchOf(projectToolSchema.shape))
        .describe('By tool key; each as for a change of one tool.'),
    }),
    responses: { 200: z.strictObject({ changed: z.int().describe('The number of tools.') }) },
    heedsRevision: true,
    problems: ['PROJECT_NOT_FOUND', 'FILE_MANAGED', 'REVISION_CONFLICT', 'NAME_TAKEN'],
  },
  callTool: {
    method: 'POST',
    path: '/tools/{tool}/call',
    tag,
    summary:
      'Calls the tool as clients do: checked, validated, audited. As events: `begun` with the id of the call, `progress`, `question` (elicitation or sampling, to be answered), then `answer` or `problem`. A closed connection cancels the call.',
    params,
    body: z.strictObject({
      project: z.string().default('default'),
      arguments: z.record(z.string(), z.unknown()).default({}),
    }),
    responses: {
      200: z.strictObject({
        result: z.record(z.string(), z.unknown()).describe('As the server answered it. Untrusted.'),
        durationMs: z.number(),
        tokens: z.int().describe('Approximate cost of the result in a model’s context.'),
      }),
    },
    alsoProduces: ['text/event-stream'],
    problems: ['TOOL_NOT_FOUND', 'TOOL_DISABLED', 'PROJECT_NOT_FOUND', 'NOT_RUNNING'],
  },
  answerCall: {
    method: 'POST',
    path: '/calls/{call}/answers',
    tag,
    summary: 'Answers a question of a server during a call, at the gateway that makes the call.',
    params: z.strictObject({ call: z.string().describe('From the event `begun`.') }),
    body: z.strictObject({
      question: z.string().describe('The id in the event `question`.'),
      result: z.record(z.string(), z.unknown()).optional().describe('Absent: the question is refused.'),
    }),
    responses: { 204: null },
    problems: ['CALL_NOT_PARKED', 'NOT_RUNNING'],
  },
  askProject: {
    method: 'POST',
    path: '/projects/{project}/requests',
    tag,
    summary: 'Lists or reads prompts and resources as a client of the project does.',
    params: z.strictObject({ project: z.string() }),
    body: z.strictObject({
      method: z.enum([
        ...(['prompts/list', 'prompts/get'] as const),
        ...(['resources/list', 'resources/templates/list', 'resources/read'] as const),
      ]),
      params: z.record(z.string(), z.unknown()).default({}),
    }),
    responses: {
      200: z.strictObject({
        result: z.record(z.string(), z.unknown()).describe('As the servers answered it. Untrusted.'),
        durationMs: z.number(),
        tokens: z.int().describe('Approximate cost in a model’s context.'),
      }),
    },
    problems: ['PROJECT_NOT_FOUND', 'PROMPT_NOT_FOUND', 'RESOURCE_NOT_FOUND', 'NOT_RUNNING'],
  },
} as const satisfies Record<string, AdminRoute>

/** A tool as the API lists it. */
export type AdminTool = z.output<typeof toolSchema>
/** A tool with its complete definition. */
export type AdminToolDetail = z.output<typeof toolDetail>
/** A change of a project’s settings for a tool. */
export type ProjectToolPatch = z.output<typeof toolRoutes.changeProjectTool.body>
