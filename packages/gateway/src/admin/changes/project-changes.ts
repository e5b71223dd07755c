import type { ProjectConfig } from '@tooldex/contract'
import type { ProjectPatch, ProjectToolPatch, RouteBody } from '@tooldex/contract/admin'
import { GatewayError } from '../../errors.ts'
import { DEFAULT_PROJECT } from '../../model/gateway-model.ts'
import { type Administration, refuseTaken, refuseUnknown, type Removal } from './administration.ts'
import type { ConfiguredEntries } from './configured-entries.ts'
import { checkRevision, type Draft } from './draft.ts'
import { invalidField, InvalidRequest } from './invalid-request.ts'
import { patched } from './patch.ts'

/** Changes projects. */
export class ProjectChanges {
  readonly #administration: Administration

  constructor(administration: Administration) {
    this.#administration = administration
  }

  /** Creates a project and returns its id. @throws GatewayError NAME_TAKEN, InvalidRequest */
  async create({ id: given, ...config }: RouteBody<'createProject'>): Promise<string> {
    const id = given ?? idFrom(config.name)
    await this.#administration.change(['projects', id], (draft, entries) => {
      refuseNames({ id, field: given === undefined ? 'name' : 'id' }, config, entries)
      refuseServers(config, entries)
      draft.putProject(id, { servers: [], ...config })
    })
    return id
  }

  /** Changes a project. Changing the built-in default project stores it. */
  change(id: string, patch: ProjectPatch, revision?: string): Promise<void> {
    return this.#edit(id, revision, (config, entries) => {
      const next = patched(config, patch)
      if (patch.name !== undefined) refuseNames({ id, isOwn: true }, next, entries)
      if (patch.servers !== undefined) refuseServers(next, entries)
      return next
    })
  }

  /** Changes the settings of tools in the project, by tool key. Empty entries are removed. */
  changeTools(id: string, patches: Readonly<Record<string, ProjectToolPatch>>, revision?: string): Promise<void> {
    return this.#edit(id, revision, (config) => {
      const tools = new Map(Object.entries(config.tools ?? {}))
      for (const [toolKey, patch] of Object.entries(patches)) {
        if (!/^[^:]+:./.test(toolKey)) throw invalidField('tool', 'must be a tool key, server:tool')
        const next = patched(tools.get(toolKey) ?? {}, patch)
        if (Object.keys(next).length === 0) tools.delete(toolKey)
        else tools.set(toolKey, next)
      }
      return patched(config, { tools: Object.fromEntries(tools) })
    })
  }

  /** Removes a project with its endpoints, and removes it from tokens. No token gains access. */
  remove(id: string, revision?: string): Promise<Removal> {
    return this.#administration.change(['projects', id], (draft, entries) => {
      const project = entries.project(id)
      entries.refuseFileManaged('project', project)
      checkRevision(project.stored, revision)
      if (project.managedBy === 'built-in') throw invalidField('', 'the project "default" always exists')
      draft.removeProject(id)
      if (id === DEFAULT_PROJECT) return { removed: id, alsoRemoved: [], narrowed: [] }
      return { removed: id, alsoRemoved: withoutEndpointsOf(draft, id, entries), narrowed: withoutProject(draft, id) }
    })
  }

  #edit(
    id: string,
    revision: string | undefined,
    edit: (config: ProjectConfig, entries: ConfiguredEntries) => ProjectConfig,
  ): Promise<void> {
    return this.#administration.change(['projects', id], (draft, entries) => {
      const project = entries.project(id)
      entries.refuseFileManaged('project', project)
      checkRevision(project.stored, revision)
      draft.putProject(id, edit(project.config, entries))
    })
  }
}

/** The project whose names are checked: an existing one, or a new one with the field that its id comes from. */
type Named =
  | { readonly id: string; readonly isOwn: true }
  | { readonly id: string; readonly isOwn?: never; readonly field: 'id' | 'name' }

/** Ids and names share one namespace, because people use either. */
function refuseNames(named: Named, { name }: ProjectConfig, entries: ConfiguredEntries): void {
  const what = 'project'
  const others = entries.projects().filter(({ id }) => named.isOwn !== true || id !== named.id)
  const taken = others.flatMap((other) => [other.id, ...(other.config.name === undefined ? [] : [other.config.name])])
  if (named.isOwn !== true) refuseTaken({ what, field: named.field, name: named.id }, taken)
  if (name !== undefined) refuseTaken({ what, field: 'name', name }, taken)
}

function refuseServers({ servers = [] }: ProjectConfig, entries: ConfiguredEntries): void {
  refuseUnknown(
    'servers',
    'server',
    servers,
    entries.servers().map(({ id }) => id),
  )
}

function withoutEndpointsOf(draft: Draft, projectId: string, entries: ConfiguredEntries): string[] {
  const own = entries.endpoints().filter(({ config }) => config.project === projectId)
  const ofFile = own.filter(({ managedBy }) => managedBy === 'file')
  if (ofFile.length > 0) {
    const ids = ofFile.map(({ id }) => id)
    const { file } = entries.fileOf({ managedBy: 'file' })
    throw new GatewayError('FILE_MANAGED', {
      endpoints: ids,
      reason: `the configuration file declares endpoints of this project: ${ids.join(', ')}`,
      remedy: `Remove them from ${file ?? 'the file'} first`,
    })
  }
  for (const { id } of own) draft.removeEndpoint(id)
  return own.map(({ id }) => `endpoint ${id}`)
}

function withoutProject(draft: Draft, id: string): string[] {
  return [...draft.state.tokens].flatMap(({ createdAt: _created, updatedAt: _updated, ...token }) => {
    if (token.projects?.includes(id) !== true) return []
    // An empty list means no project: a token for this project alone loses all access instead of gaining all.
    draft.putToken({ ...token, projects: token.projects.filter((each) => each !== id) })
    return [`token ${token.name}`]
  })
}

/** Makes an id that fits into a URL: lower-case letters, digits and dashes. */
function idFrom(name: string | undefined): string {
  if (name === undefined) throw new InvalidRequest([{ path: ['name'], message: 'needs a name or an id' }])
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const id = plain
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 64)
  if (id !== '') return id
  throw new InvalidRequest([{ path: ['id'], message: 'cannot be derived from this name; set it' }])
}
