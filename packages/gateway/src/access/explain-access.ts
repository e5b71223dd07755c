import type { CatalogServer, CatalogSnapshot, CatalogTool } from '../catalog/catalog.ts'
import type { Principal } from '../model/principal.ts'
import type { Project, ServerToolPermissions } from '../model/project.ts'
import { type ToolKey, toolKeyParts } from '../model/tool-key.ts'
import { forbidderOf, isReadOnly, isAvailable, isOnTokenList, mayUseProject } from './eligible-tools.ts'
import type { ServerTrouble } from './named-tool.ts'

/** Everything that decides whether a token can use a tool through a project. */
export interface AccessBasis {
  readonly principal: Principal
  readonly project: Project
  /** All projects, for their names. */
  readonly projects: ReadonlyMap<string, Pick<Project, 'name'>>
  readonly serverTools: ServerToolPermissions
  readonly catalog: CatalogSnapshot
  /** With the link to log in: the explanation is for administrators. */
  readonly troubleOf: (serverId: string) => (ServerTrouble & { readonly loginUrl?: string }) | undefined
  readonly now: number
}

/** One check and its result. */
export interface AccessStep {
  readonly question: string
  readonly ok: boolean
  readonly answer: string
  readonly remedy?: string
  /** The page of the console where the remedy is at hand. */
  readonly page?: RemedyPage
}

type RemedyPage = 'token' | 'project' | 'server' | 'tool' | 'review'

/**
 * Explains to administrators why a token can or cannot use a tool through a project: every check of `eligibleTools`, in the
 * same order and with the same functions. The token can use the tool if every step is ok.
 */
export function explainAccess(toolKey: string, basis: AccessBasis): readonly AccessStep[] {
  const { catalog } = basis
  const { serverId } = toolKeyParts(toolKey)
  const server = catalog.servers.find(({ id }) => id === serverId)
  const tool = catalog.tools.get(toolKey as ToolKey)
  return [
    expiryStep(basis),
    projectStep(basis),
    serverInProjectStep(serverId, basis),
    tokenServerStep(serverId, basis),
    toolStep(toolKey, server, tool),
    ...(tool === undefined ? [] : [tokenListStep(tool, basis), readOnlyStep(tool, basis), permissionStep(tool, basis)]),
    ...(server === undefined ? [] : [stateStep(server, basis)]),
  ]
}

/** The first failed step, if any. */
export function firstObstacle(steps: readonly AccessStep[]): AccessStep | undefined {
  return steps.find(({ ok }) => !ok)
}

function expiryStep({ principal, now }: AccessBasis): AccessStep {
  const { expiresAt } = principal
  const ok = expiresAt === undefined || expiresAt > now
  const when = expiresAt === undefined ? '' : new Date(expiresAt).toISOString()
  const answer = expiresAt === undefined ? 'It never expires' : ok ? `Until ${when}` : `It expired at ${when}`
  return step('Is the token valid?', ok, answer, 'Extend its expiry, or create a new token', 'token')
}

function projectStep({ principal, project, projects }: AccessBasis): AccessStep {
  const ok = mayUseProject(principal, project)
  const names = [...(principal.projects ?? [])].map((id) => projects.get(id)?.name ?? id)
  const scope = principal.projects === undefined ? 'all projects' : listed(names, 'no project')
  return step(
    'May the token use the project?',
    ok,
    `It is for ${scope}`,
    `Add the project ${quote(project.name)} to the token`,
    'token',
  )
}

function serverInProjectStep(serverId: string, { project, catalog }: AccessBasis): AccessStep {
  const ok = project.serverIds.includes(serverId)
  const names = serverNames(project.serverIds, catalog)
  const answer = `The project ${quote(project.name)} has ${listed(names, 'no server')}`
  return step(
    'Is the server in the project?',
    ok,
    answer,
    `Add the server ${listed(serverNames([serverId], catalog), '')} to the project`,
    'project',
  )
}

function tokenServerStep(serverId: string, { principal, catalog }: AccessBasis): AccessStep {
  const ok = principal.servers?.has(serverId) ?? true
  const names = serverNames(principal.servers ?? [], catalog)
  const scope = principal.servers === undefined ? 'all servers of its projects' : listed(names, 'no server')
  return step(
    'May the token use the server?',
    ok,
    `It is for ${scope}`,
    `Add the server ${listed(serverNames([serverId], catalog), '')} to the token`,
    'token',
  )
}

function toolStep(toolKey: string, server: CatalogServer | undefined, tool: CatalogTool | undefined): AccessStep {
  const question = 'Does the server have the tool?'
  if (tool !== undefined) return { question, ok: true, answer: `${quote(tool.serverName)} lists it` }
  if (server === undefined)
    return step(question, false, 'There is no such server', 'Check the tool key: server:tool', 'token')
  if (server.heldTools?.has(toolKey.slice(server.id.length + 1)) === true) {
    const held = `${quote(server.name)} lists it, but it is held for approval`
    return step(question, false, held, 'Look at the change and approve it: tooldex review', 'review')
  }
  const answer = `${quote(server.name)} lists ${server.tools.size} tools, but not ${quote(toolKey)}`
  return step(question, false, answer, 'Check the tool key; the status of the server shows its list', 'server')
}

function tokenListStep(tool: CatalogTool, { principal }: AccessBasis): AccessStep {
  const ok = isOnTokenList(principal, tool)
  const count = principal.tools?.size ?? 0
  const scope = principal.tools === undefined ? 'all tools' : `only ${count} named ${count === 1 ? 'tool' : 'tools'}`
  return step('May the token use the tool?', ok, `It is for ${scope}`, `Add ${quote(tool.key)} to the token`, 'token')
}

function readOnlyStep(tool: CatalogTool, { principal }: AccessBasis): AccessStep {
  const ok = !principal.readOnly || isReadOnly(tool)
  const about = principal.readOnly ? 'It is read-only' : 'It may read and write'
  const answer = ok ? about : `${about}, and the approved definition of the tool is not annotated as read-only`
  const remedy =
    'Lift read-only from the token; if the server says since its first list that the tool only reads, approve that'
  return step('Does the kind of token fit the tool?', ok, answer, `${remedy}: tooldex review --recorded`, 'token')
}

function permissionStep(tool: CatalogTool, { project, serverTools }: AccessBasis): AccessStep {
  const question = 'Is the tool allowed?'
  switch (forbidderOf(tool, project, serverTools)) {
    case 'server':
      return step(
        question,
        false,
        'It is disabled for all projects',
        `Allow it at the server ${quote(tool.serverId)}`,
        'tool',
      )
    case 'project':
      return step(
        question,
        false,
        `It is disabled in the project ${quote(project.name)}`,
        'Allow it in the project',
        'tool',
      )
    case 'allow-list': {
      const answer = `The project ${quote(project.name)} has only the tools that it allows by name`
      return step(question, false, answer, 'Allow it in the project', 'tool')
    }
    case undefined:
      return { question, ok: true, answer: 'It is not disabled' }
  }
}

function stateStep(server: CatalogServer, { troubleOf }: AccessBasis): AccessStep {
  const ok = isAvailable(server)
  const trouble = troubleOf(server.id)
  const why = trouble?.lastError === undefined ? '' : `: ${trouble.lastError.message}`
  const remedy =
    trouble?.loginUrl === undefined ? 'Check its log, then start or enable it' : `Log in at ${trouble.loginUrl}`
  return step('Can the server answer?', ok, `It is ${server.state}${ok ? '' : why}`, remedy, 'server')
}

function step(question: string, ok: boolean, answer: string, remedy: string, page: RemedyPage): AccessStep {
  return ok ? { question, ok, answer } : { question, ok, answer, remedy, page }
}

/** The names of servers; the ids of those that are not there. */
function serverNames(ids: Iterable<string>, catalog: CatalogSnapshot): readonly string[] {
  return [...ids].map((id) => catalog.servers.find((server) => server.id === id)?.name ?? id)
}

function listed(all: readonly string[], none: string): string {
  if (all.length === 0) return none
  return all.length > 10
    ? `${all.slice(0, 10).map(quote).join(', ')} and ${all.length - 10} more`
    : all.map(quote).join(', ')
}

const quote = (text: string): string => JSON.stringify(text)
