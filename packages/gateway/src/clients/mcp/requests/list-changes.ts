import { isRecord } from '@tooldex/http-kit/json'
import { serversWithin } from '../../../access/eligible-tools.ts'
import { wantedProject } from '../../../access/projects.ts'
import type { Catalog, CatalogServer, CatalogSnapshot } from '../../../catalog/catalog.ts'
import { isSame } from '../../../catalog/read-tools.ts'
import { GatewayError } from '../../../errors.ts'
import { inSlices, type Steps } from '../../../in-slices.ts'
import { canonicalText } from '../../../model/canonical-json.ts'
import type { GatewayModel, ModelSource } from '../../../model/gateway-model.ts'
import type { Project } from '../../../model/project.ts'
import type { EndpointView, EndpointViews } from './endpoint-view.ts'
import { listPrompts } from './prompt-requests.ts'
import type { ClientNotifier, Lister, ListeningClient, ListKind } from './request-handler.ts'
import { listResources, listResourceTemplates } from './resource-requests.ts'
import type { ToolRequests } from './tool-requests.ts'

type Items = readonly object[]

/** Lists of more tools are not made in order to be compared. */
const MANY_TOOLS = 1_000
const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources']

/** The collaborators of `ListChanges`. */
export interface ListChangeParts {
  readonly models: Pick<ModelSource, 'current'>
  readonly catalog: Pick<Catalog, 'snapshot'>
  readonly views: EndpointViews
  readonly tools: Pick<ToolRequests, 'listFor' | 'addedTo'>
}

/** The moment as of which a client knows a list, and its rights at that moment. */
interface Knowledge {
  readonly moment: Moment
  readonly lister: Lister
}

/**
 * Finds the clients whose lists changed, by comparing what each of them lists now with what it listed before. Clients that
 * list the same share the work, and the work is done in slices.
 */
export class ListChanges {
  readonly #parts: ListChangeParts
  /** What each client knows; undefined while its first list is being answered. */
  readonly #known = new WeakMap<ListeningClient, Map<ListKind, Knowledge | undefined>>()
  /** The lists that clients asked for, each with the `_meta` of the latest request if it named a project. */
  readonly #asked = new WeakMap<ListeningClient, Map<ListKind, object | undefined>>()
  readonly #byId = new Map<string, ListeningClient>()
  #latest: Moment | undefined

  constructor(parts: ListChangeParts) {
    this.#parts = parts
  }

  /** Notes a client with what it would list now. Returns the function that forgets it. */
  joined(client: ListeningClient): () => void {
    this.#known.set(client, new Map(KINDS.map((kind) => [kind, this.#knowledgeOf(kind, client)])))
    this.#byId.set(client.id, client)
    return () => {
      if (this.#byId.get(client.id) === client) this.#byId.delete(client.id)
    }
  }

  /**
   * Notes that a session asks for a list. Its first one may wait for servers to start, and is what the client knows then.
   * Returns the function to call when the list is answered.
   */
  asked(kind: ListKind, sessionId: string | undefined, meta: unknown): () => void {
    const client = this.#byId.get(sessionId ?? '')
    const known = client && this.#known.get(client)
    if (client === undefined || known === undefined) return () => {}
    const asked = this.#asked.get(client) ?? new Map<ListKind, object | undefined>()
    this.#asked.set(client, asked)
    const named = namedProject(meta)
    const isKnown = asked.has(kind) && isSame(asked.get(kind), named)
    asked.set(kind, named)
    if (isKnown) return () => {}
    known.set(kind, undefined)
    return () => void known.set(kind, this.#knowledgeOf(kind, client))
  }

  /** Notifies the clients whose lists are not what they were at the last comparison. */
  async compare(notifier: Pick<ClientNotifier, 'listChanged'>): Promise<void> {
    await inSlices(this.#compared([...this.#byId.values()], notifier))
  }

  *#compared(clients: readonly ListeningClient[], notifier: Pick<ClientNotifier, 'listChanged'>): Steps<void> {
    const now = this.#now()
    const compared: Compared = new WeakMap()
    for (const client of clients) {
      const known = this.#known.get(client)
      for (const kind of KINDS) {
        const before = known?.get(kind)
        if (known === undefined || before === undefined || before.moment === now) continue
        const current = this.#knowledgeOf(kind, client, now)
        if (current === undefined) continue
        known.set(kind, current)
        yield
        const isEqual = yield* listsTheSame(kind, before, current, compared)
        if (!isEqual) notifier.listChanged(kind, client)
      }
    }
  }

  #knowledgeOf(kind: ListKind, client: ListeningClient, moment: Moment = this.#now()): Knowledge | undefined {
    const rights = client.rights()
    const meta = this.#asked.get(client)?.get(kind)
    return rights && { moment, lister: { ...rights, ...client.session?.(), meta } }
  }

  #now(): Moment {
    const [model, catalog] = [this.#parts.models.current(), this.#parts.catalog.snapshot()]
    if (this.#latest?.model !== model || this.#latest.catalog !== catalog) {
      this.#latest = new Moment(model, catalog, this.#parts)
    }
    return this.#latest
  }
}

/** The results so far: each two lists are compared once, however many clients have them. */
type Compared = WeakMap<Items, WeakMap<Items, boolean>>

function* listsTheSame(kind: ListKind, before: Knowledge, after: Knowledge, compared: Compared): Steps<boolean> {
  const [was, is] = [before.moment.of(before.lister), after.moment.of(after.lister)]
  if (haveSameInputs(was, is)) return true
  const one = yield* was.list(kind)
  const other = yield* is.list(kind)
  const known = compared.get(one)?.get(other)
  if (known !== undefined) return known
  const result = yield* areSame(one, other)
  compared.set(one, (compared.get(one) ?? new WeakMap<Items, boolean>()).set(other, result))
  return result
}

/** Most changes concern neither the settings nor the servers of a client, so that its lists need not be made. */
function haveSameInputs(one: ListsOfView, other: ListsOfView): boolean {
  if (one === other) return true
  if (one.settings !== other.settings || one.servers.length !== other.servers.length) return false
  return one.servers.every((server, index) => server === other.servers[index])
}

function* areSame(one: Items, other: Items): Steps<boolean> {
  if (one === other) return true
  if (one.length !== other.length) return false
  for (const [index, item] of one.entries()) {
    if (item !== other[index] && !isSameItem(item, other[index] ?? {})) return false
    yield
  }
  return true
}

/** Members of unchanged definitions are the same objects in every list, so that few are compared in depth. */
function isSameItem(one: object, other: object): boolean {
  const others = new Map<string, unknown>(Object.entries(other))
  const members = Object.entries(one)
  return members.length === others.size && members.every(([name, value]) => isSame(value, others.get(name)))
}

/** One model and one snapshot of the catalog. What clients list of them is made on demand, once for all that list the same. */
class Moment {
  readonly model: GatewayModel
  readonly catalog: CatalogSnapshot
  readonly #parts: ListChangeParts
  readonly #byKey = new Map<string, ListsOfView>()
  #past: EndpointViews | undefined

  constructor(model: GatewayModel, catalog: CatalogSnapshot, parts: ListChangeParts) {
    this.model = model
    this.catalog = catalog
    this.#parts = parts
  }

  of(lister: Lister): ListsOfView {
    const key = keyOf(lister, this.#parts)
    const known = this.#byKey.get(key) ?? new ListsOfView(lister, key, this, this.#parts)
    this.#byKey.set(key, known)
    return known
  }

  /** The present is read with the views that answer requests, so that both share what they compute. */
  views(): EndpointViews {
    const { views, models, catalog } = this.#parts
    if (models.current() === this.model && catalog.snapshot() === this.catalog) return views
    this.#past ??= views.at(this.model, this.catalog)
    return this.#past
  }
}

/** What a list of thousands of tools is made of: it differs when the list does, and takes no time to make. */
function* makingsOf({ tools: { list }, project, settings, mode, dialect, rules }: EndpointView): Steps<Items> {
  const { separator, dropPrefix } = rules
  const items: object[] = [{ settings, mode, dialect: dialect.name, separator, dropPrefix }]
  for (const tool of list) {
    items.push(tool, project.tools.get(tool.key) ?? UNCHANGED)
    yield
  }
  return items
}

const UNCHANGED = {}

/** Everything that lists depend on beside the moment. */
function keyOf(lister: Lister, { views, tools }: ListChangeParts): string {
  const { principal, endpoint, sessionId, clientInfo, meta } = lister
  return JSON.stringify([
    endpoint.id,
    principal.projects && [...principal.projects].toSorted(),
    principal.servers && [...principal.servers].toSorted(),
    principal.tools && [...principal.tools].toSorted(),
    principal.readOnly,
    sessionId !== undefined,
    sessionId !== undefined && [clientInfo?.['name'], clientInfo?.['version']],
    views.lastGivenTo(lister) ?? null,
    tools.addedTo(sessionId),
    meta,
  ])
}

/** The lists of all clients that list the same at one moment. */
class ListsOfView {
  /** The settings that the lists depend on, as a text to compare. */
  readonly settings: string
  /** The servers that they depend on. */
  readonly servers: readonly CatalogServer[]
  readonly #lister: Lister
  readonly #moment: Moment
  readonly #parts: ListChangeParts
  readonly #lists = new Map<ListKind, Items>()

  constructor(lister: Lister, key: string, moment: Moment, parts: ListChangeParts) {
    const { model, catalog } = moment
    const { endpoint, principal } = lister
    const project = projectFor(lister, model)
    this.servers = project === undefined ? [] : serversWithin(principal, project, catalog)
    const permissions = this.servers.map(({ id }) => model.serverTools.get(id) ?? null)
    this.settings = canonicalText([key, endpoint, project, permissions])
    this.#lister = lister
    this.#moment = moment
    this.#parts = parts
  }

  *list(kind: ListKind): Steps<Items> {
    const known = this.#lists.get(kind)
    if (known !== undefined) return known
    const list = yield* this.#made(kind)
    this.#lists.set(kind, list)
    return list
  }

  *#made(kind: ListKind): Steps<Items> {
    try {
      const view = this.#moment.views().viewOf(this.#lister, this.#lister.meta)
      yield
      const isLong = view.mode === 'full' && view.tools.size > MANY_TOOLS
      if (kind === 'tools' && isLong) return yield* makingsOf(view)
      if (kind === 'tools') return this.#parts.tools.listFor(view, this.#lister)
      if (kind === 'prompts') return listPrompts(view)['prompts'] as Items
      const [resources, templates] = [listResources(view), listResourceTemplates(view)]
      return [...(resources['resources'] as Items), ...(templates['resourceTemplates'] as Items)]
    } catch (error) {
      // Its project is gone, and with it the rights of the client.
      if (error instanceof GatewayError) return []
      throw error
    }
  }
}

function projectFor({ endpoint, meta, principal }: Lister, model: GatewayModel): Project | undefined {
  return model.projects.has(endpoint.projectId) ? wantedProject(endpoint, meta, principal, model) : undefined
}

const LONGEST_ID = 200

/** The part of `_meta` that names a project. One that is too long to be an id is not kept: such a list is empty. */
function namedProject(meta: unknown): { readonly projectId: string | null } | undefined {
  const id = isRecord(meta) ? meta['projectId'] : undefined
  return id === null || (typeof id === 'string' && id.length <= LONGEST_ID) ? { projectId: id } : undefined
}
