import type { AdminProject, ProjectPatch } from '@tooldex/contract/admin'
import { GatewayError } from '../../errors.ts'
import { facts, table } from '../table.ts'
import { type Admin, answer, listed } from './admin.ts'
import { disclosureOf, type DisclosureOptions, settingFacts } from './disclosure-options.ts'
import { answerRemoval } from './removal.ts'

/** What `project add` and `project set` take. */
export interface ProjectOptions extends DisclosureOptions {
  readonly name?: string
  readonly server?: readonly string[]
  readonly unset?: readonly string[]
}

/** What `project servers` takes. */
export interface ProjectServersOptions {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}

/** What `project tool` takes. */
export interface ProjectToolOptions {
  readonly allow?: boolean
  readonly deny?: boolean
  readonly pin?: boolean
  readonly defer?: boolean
  readonly describe?: string
  readonly reset?: boolean
}

/** `tooldex project list` */
export async function listProjects(admin: Admin): Promise<number> {
  const { items } = await admin.client.ask('listProjects')
  const rows = items.map((project) => [
    project.id,
    project.name,
    `${project.tools.eligible} of ${project.tools.all}`,
    project.settings.exposure.value ?? 'auto',
    project.optimization ?? 'off',
    project.managedBy,
    listed(project.servers),
  ])
  const head = ['project', 'name', 'tools', 'exposure', 'search', 'managed by', 'servers']
  return answer(admin, { projects: items }, table(head, rows, admin.context.terminal))
}

/** `tooldex project show` */
export async function showProject(admin: Admin, id: string): Promise<number> {
  const project = await admin.client.ask('getProject', { params: { project: id } })
  const tools = Object.entries(project.config.tools ?? {}).map(([key, said]) => [key, JSON.stringify(said)] as const)
  const lines = facts(
    [
      ['project', project.id],
      ['name', project.name],
      ['servers', listed(project.servers)],
      ['gone', project.missingServers.length === 0 ? undefined : listed(project.missingServers)],
      ['endpoints', listed(project.endpoints)],
      ['tools', `${project.tools.eligible} of ${project.tools.all} can be used now`],
      ...settingFacts(project.settings),
      ...tools,
      ['managed by', project.file ?? project.managedBy],
    ],
    admin.context.terminal,
  )
  return answer(admin, project, lines)
}

/** `tooldex project add` */
export async function addProject(admin: Admin, id: string, options: ProjectOptions): Promise<number> {
  const { name, server = [] } = options
  const body = { id, ...(name !== undefined && { name }), servers: [...server], ...disclosureOf(options) }
  const project = await admin.client.ask('createProject', { body })
  return answer(admin, project, [
    `  added the project ${project.id}: ${listed(project.servers)}`,
    `  give it an address: tooldex endpoint add ${project.id} --project ${project.id}`,
  ])
}

/** `tooldex project set` */
export async function setProject(admin: Admin, id: string, options: ProjectOptions): Promise<number> {
  const { name, server, unset } = options
  const body = {
    ...(name !== undefined && { name }),
    ...(server !== undefined && { servers: [...server] }),
    ...disclosureOf(options),
    ...(unset !== undefined && { unset: [...unset] }),
  }
  return change(admin, id, body as ProjectPatch)
}

/** `tooldex project servers`: all of them anew, or some more or fewer. */
export async function setProjectServers(
  admin: Admin,
  id: string,
  servers: readonly string[],
  { add = [], remove = [] }: ProjectServersOptions,
): Promise<number> {
  if (servers.length === 0 && add.length === 0 && remove.length === 0) return showProject(admin, id)
  const { servers: own } = await admin.client.ask('getProject', { params: { project: id } })
  const strangers = remove.filter((each) => !own.includes(each))
  if (strangers.length > 0) {
    throw new GatewayError('INVALID_ARGUMENTS', { reason: `the project ${id} has no ${strangers.join(', ')}` })
  }
  const base = servers.length > 0 ? servers : own
  return change(admin, id, { servers: [...new Set([...base, ...add])].filter((each) => !remove.includes(each)) })
}

/** `tooldex project tool` */
export async function setProjectTool(
  admin: Admin,
  project: string,
  tool: string,
  options: ProjectToolOptions,
): Promise<number> {
  const { allow, deny, pin, defer, describe, reset } = options
  if (allow === true && deny === true) {
    throw new GatewayError('INVALID_ARGUMENTS', { reason: '--allow and --deny are opposites' })
  }
  const body = {
    ...(allow === true && { allowed: true }),
    ...(deny === true && { allowed: false }),
    ...(pin !== undefined && { pinned: pin }),
    ...(defer !== undefined && { deferLoading: defer }),
    ...(describe !== undefined && { description: describe }),
    ...(reset === true && { unset: ['allowed', 'pinned', 'deferLoading', 'description'] }),
  }
  if (Object.keys(body).length === 0) {
    throw new GatewayError('INVALID_ARGUMENTS', {
      reason: 'nothing to change',
      remedy: 'Say --deny, --allow, --pin, --no-pin, --defer, --no-defer, --describe <text> or --reset',
    })
  }
  const changed = await admin.client.ask('changeProjectTool', { params: { project, tool }, body })
  const there = changed.projects.find((each) => each.project === project)
  const state = there?.eligible === true ? 'can be used' : 'cannot be used'
  return answer(admin, changed, [`  ${tool} ${state} in the project ${project}`])
}

/** `tooldex project remove` */
export async function removeProject(admin: Admin, id: string): Promise<number> {
  return answerRemoval(admin, 'project', await admin.client.ask('removeProject', { params: { project: id } }))
}

async function change(admin: Admin, id: string, body: ProjectPatch): Promise<number> {
  const project: AdminProject = await admin.client.ask('changeProject', { params: { project: id }, body })
  return answer(admin, project, [`  changed the project ${project.id}: ${listed(project.servers)}`])
}
