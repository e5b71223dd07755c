import { GatewayError } from '../../errors.ts'
import type { StateChanges } from '../../model/store.ts'
import type { StoredEndpoint, StoredProject, StoredServer, StoredState, StoredToken } from '../../model/stored-state.ts'

type Entry = { readonly id: string; readonly createdAt: number; readonly updatedAt: number }
type Operation = (changes: StateChanges) => Promise<void>

/** The state after a change that is not written yet. It is written only after the whole configuration was checked. */
export class Draft {
  readonly #now: number
  readonly #operations: Operation[] = []
  #state: StoredState

  constructor(state: StoredState, now: number) {
    this.#state = state
    this.#now = now
  }

  get state(): StoredState {
    return this.#state
  }

  putServer(id: string, config: StoredServer['config']): void {
    const entry = this.#dated(id, { config }, this.#state.servers)
    this.#state = { ...this.#state, servers: replaced(this.#state.servers, entry) }
    this.#operations.push((changes) => changes.putServer(entry))
  }

  removeServer(id: string): void {
    this.#state = { ...this.#state, servers: without(this.#state.servers, id) }
    this.#operations.push((changes) => changes.removeServer(id))
  }

  orderServers(ids: readonly string[]): void {
    const byId = new Map(this.#state.servers.map((server) => [server.id, server]))
    const servers = ids.flatMap((id) => byId.get(id) ?? [])
    this.#state = { ...this.#state, servers }
    this.#operations.push((changes) => changes.orderServers(ids))
  }

  putProject(id: string, config: StoredProject['config']): void {
    const entry = this.#dated(id, { config }, this.#state.projects)
    this.#state = { ...this.#state, projects: replaced(this.#state.projects, entry) }
    this.#operations.push((changes) => changes.putProject(entry))
  }

  removeProject(id: string): void {
    this.#state = { ...this.#state, projects: without(this.#state.projects, id) }
    this.#operations.push((changes) => changes.removeProject(id))
  }

  putEndpoint(id: string, config: StoredEndpoint['config']): void {
    const entry = this.#dated(id, { config }, this.#state.endpoints)
    this.#state = { ...this.#state, endpoints: replaced(this.#state.endpoints, entry) }
    this.#operations.push((changes) => changes.putEndpoint(entry))
  }

  removeEndpoint(id: string): void {
    this.#state = { ...this.#state, endpoints: without(this.#state.endpoints, id) }
    this.#operations.push((changes) => changes.removeEndpoint(id))
  }

  putToken({ id, ...token }: Omit<StoredToken, 'createdAt' | 'updatedAt'>): StoredToken {
    const before = this.#state.tokens.get(id)
    const entry = this.#dated(id, token, before === undefined ? [] : [before])
    this.#state = { ...this.#state, tokens: this.#state.tokens.with([entry]) }
    this.#operations.push((changes) => changes.putToken(entry))
    return entry
  }

  removeToken(id: string): void {
    this.#state = { ...this.#state, tokens: this.#state.tokens.with([], [id]) }
    this.#operations.push((changes) => changes.removeToken(id))
  }

  /** `undefined` removes the setting. */
  putSetting(name: string, value: unknown): void {
    const others = [...this.#state.settings].filter(([each]) => each !== name)
    this.#state = { ...this.#state, settings: new Map(value === undefined ? others : [...others, [name, value]]) }
    this.#operations.push((changes) => changes.putSetting(name, value))
  }

  async apply(changes: StateChanges): Promise<void> {
    for (const operation of this.#operations) await operation(changes)
  }

  /** Two changes of an entry never have the same time, because the time is its revision. */
  #dated<Rest extends object>(id: string, rest: Rest, known: readonly Entry[]): Rest & Entry {
    const before = known.find((entry) => entry.id === id)
    const updatedAt = Math.max(this.#now, (before?.updatedAt ?? 0) + 1)
    return { ...rest, id, createdAt: before?.createdAt ?? this.#now, updatedAt }
  }
}

/** The revision of an entry, which changes with every change of the entry. */
export const revisionOf = ({ updatedAt }: Pick<Entry, 'updatedAt'>): string => updatedAt.toString(36)

/** The revision of an entry that exists without being stored. */
export const BUILT_IN_REVISION = 'built-in'

/**
 * Refuses a change that is based on an outdated revision.
 * @param expected the value of `If-Match`; absent or `*` matches every revision
 * @throws GatewayError REVISION_CONFLICT
 */
export function checkRevision(entry: Pick<Entry, 'updatedAt'> | undefined, expected: string | undefined): void {
  if (expected === undefined || (expected === '*' && entry !== undefined)) return
  refuseOutdated(expected, entry === undefined ? BUILT_IN_REVISION : revisionOf(entry))
}

/** @throws GatewayError REVISION_CONFLICT if the two revisions differ */
export function refuseOutdated(expected: string, current: string): void {
  if (expected === current) return
  throw new GatewayError('REVISION_CONFLICT', {
    revision: current,
    reason: `the change is based on revision ${expected}, but the current one is ${current}`,
    remedy: 'Read the entry again and send the change with its revision',
  })
}

function replaced<Each extends Entry>(entries: readonly Each[], entry: Each): readonly Each[] {
  const isKnown = entries.some(({ id }) => id === entry.id)
  return isKnown ? entries.map((each) => (each.id === entry.id ? entry : each)) : [...entries, entry]
}

function without<Each extends Entry>(entries: readonly Each[], id: string): readonly Each[] {
  return entries.filter((entry) => entry.id !== id)
}
