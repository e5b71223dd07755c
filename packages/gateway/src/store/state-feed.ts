import { isDeepStrictEqual } from 'node:util'
import { setImmediate } from 'node:timers/promises'
import { inSlices } from '../in-slices.ts'
import type { StoredProject, StoredState, StoredToken } from '../model/stored-state.ts'
import { StoredTokens } from '../model/stored-tokens.ts'
import type { SecretBox } from './secrets/secret-box.ts'
import type { Sql, SqlDialect } from './sql-dialect.ts'
import { portionsOf } from './sql-pins.ts'
import { fromEndpointRow, fromProjectRows, fromServerRow, fromTokenRow, TOKEN_COLUMNS } from './state-rows.ts'
import { fromStorable } from './storable-text.ts'
import type { StateChangeRow } from './tables.ts'

/** One change of one row. Its place in the feed is the revision that made it, and the order within the revision. */
export type StateChange = Pick<StateChangeRow, 'kind' | 'entry_id' | 'how'>

/** Older changes are removed: a gateway that knows an older revision reads the whole state. */
export const KEPT_REVISIONS = 10_000
/** More changes cost more to read one by one than the whole state does. */
const MOST_CHANGES = 20_000
/** Rows that are read at once, so that a large state does not block the process. */
const PAGE = 2_000
/** Projects with hundreds of servers each. */
const PROJECTS_AT_ONCE = 100
const PROJECT_SERVER_COLUMNS = ['project_id', 'server_id'] as const

/** What reading the state needs beside a connection. */
export interface StateReading {
  readonly box: SecretBox
  readonly dialect: Pick<SqlDialect, 'readMany'>
}

/** The state of an empty store. */
export const EMPTY_STATE: StoredState = Object.freeze({
  revision: -1,
  servers: [],
  projects: [],
  endpoints: [],
  tokens: StoredTokens.of(),
  settings: new Map<string, unknown>(),
})

/** The revision of the current state. */
async function readRevision(db: Sql): Promise<number> {
  const { revision } = await db.selectFrom('store_state').select('revision').executeTakeFirstOrThrow()
  return revision
}

/** Writes the changes of a revision into the feed, in the transaction that makes them. */
export async function recordChanges(
  db: Sql,
  revision: number,
  changes: readonly StateChange[],
  at: SqlDialect['now'],
): Promise<void> {
  const rows = changes.map((change, seq) => ({ revision, seq, ...change, at }))
  for (const portion of portionsOf(rows)) await db.insertInto('state_changes').values(portion).execute()
  // Every now and then, because each removal costs a scan of the index.
  if (revision % 100 !== 0) return
  await db
    .deleteFrom('state_changes')
    .where('revision', '<=', revision - KEPT_REVISIONS)
    .execute()
}

/** How long ago a revision was made, in milliseconds by the clock of the database; undefined if that is not known. */
export async function ageOfRevision(db: Sql, revision: number, now: SqlDialect['now']): Promise<number | undefined> {
  const row = await db
    .selectFrom('state_changes')
    .select(['at', now.as('now')])
    .where('revision', '=', revision)
    .where('seq', '=', 0)
    .executeTakeFirst()
  return row === undefined || row.at === null ? undefined : Math.max(0, row.now - row.at)
}

/**
 * The current state, read in a transaction: a known state with the rows that changed since. If the feed has a gap, because
 * the known state is too old or an older release made a change, all rows are read.
 * @param revision the current one, if it is known
 */
export async function readState(
  db: Sql,
  { box, dialect }: StateReading,
  known: StoredState = EMPTY_STATE,
  revision?: number,
): Promise<StoredState> {
  const current = revision ?? (await readRevision(db))
  if (current === known.revision) return known
  const changes = known === EMPTY_STATE ? undefined : await changesBetween(db, known.revision, current)
  return changes === undefined
    ? readWhole(db, { box, dialect }, known, current)
    : advance(db, box, known, current, changes)
}

/** A known state with the changes of the next revision, read in the transaction that makes them. */
export function nextState(
  db: Sql,
  box: SecretBox,
  known: StoredState,
  changes: readonly StateChange[],
): Promise<StoredState> {
  return advance(db, box, known, known.revision + 1, changes)
}

/** The changes after a revision, in order; undefined unless there are some of each revision. */
async function changesBetween(db: Sql, from: number, to: number): Promise<readonly StateChange[] | undefined> {
  if (to < from || to - from > KEPT_REVISIONS) return undefined
  const rows = await db
    .selectFrom('state_changes')
    .selectAll()
    .where('revision', '>', from)
    .where('revision', '<=', to)
    .orderBy('revision')
    .orderBy('seq')
    .limit(MOST_CHANGES + 1)
    .execute()
  const isWhole = rows.length <= MOST_CHANGES && new Set(rows.map(({ revision }) => revision)).size === to - from
  return isWhole ? rows : undefined
}

async function advance(
  db: Sql,
  box: SecretBox,
  known: StoredState,
  revision: number,
  changes: readonly StateChange[],
): Promise<StoredState> {
  const of = (kind: StateChange['kind']): StateChange[] => changes.filter((change) => change.kind === kind)
  const [servers, projects, endpoints] = [of('server'), of('project'), of('endpoint')]
  const [tokens, settings] = [idsOf(of('token')), idsOf(of('setting'))]
  return Object.freeze({
    revision,
    servers: replay(
      known.servers,
      servers,
      await readServers(db, box, idsOf(servers)),
      servers.some(({ how }) => how === 'order') ? await serverOrder(db) : undefined,
    ),
    projects: replay(known.projects, projects, await readProjects(db, idsOf(projects))),
    endpoints: replay(known.endpoints, endpoints, await readEndpoints(db, idsOf(endpoints))),
    tokens:
      tokens.length === 0 ? known.tokens : known.tokens.with(await readTokens(db, tokens), tokens.map(fromStorable)),
    settings: settings.length === 0 ? known.settings : await readSettings(db),
  })
}

const idsOf = (changes: readonly StateChange[]): readonly string[] => [
  ...new Set(changes.filter(({ how }) => how !== 'order').map(({ entry_id }) => entry_id)),
]

/** Makes the changes in their order: a new entry is the last one, a changed entry keeps its place. */
function replay<Entry extends { readonly id: string }>(
  known: readonly Entry[],
  changes: readonly StateChange[],
  current: readonly Entry[],
  order?: readonly string[],
): readonly Entry[] {
  if (changes.length === 0) return known
  const entries = new Map(known.map((entry) => [entry.id, entry]))
  const rows = new Map(current.map((entry) => [entry.id, entry]))
  for (const { entry_id, how } of changes) {
    const id = fromStorable(entry_id)
    const row = rows.get(id)
    if (how === 'remove') entries.delete(id)
    // Without a row, a later change has removed it.
    else if (how === 'put' && row !== undefined) entries.set(id, row)
  }
  if (order === undefined) return [...entries.values()]
  return order.flatMap((id) => entries.get(id) ?? [])
}

async function serverOrder(db: Sql): Promise<readonly string[]> {
  const rows = await db.selectFrom('servers').select('id').orderBy('position').orderBy('id').execute()
  return rows.map(({ id }) => fromStorable(id))
}

/** Reads all rows. Entries that are as before stay the same objects. */
async function readWhole(
  db: Sql,
  { box, dialect }: StateReading,
  known: StoredState,
  revision: number,
): Promise<StoredState> {
  const settings = await readSettings(db)
  const projects = await db.selectFrom('projects').select('id').orderBy('position').orderBy('id').execute()
  const projectIds = projects.map(({ id }) => id)
  return Object.freeze({
    revision,
    servers: shared(known.servers, await readServers(db, box)),
    projects: shared(known.projects, await readProjects(db, projectIds, dialect)),
    endpoints: shared(known.endpoints, await readEndpoints(db)),
    tokens: await readAllTokens(db, dialect, known.tokens),
    settings: isDeepStrictEqual(settings, known.settings) ? known.settings : settings,
  })
}

function shared<Entry extends { readonly id: string }>(
  known: readonly Entry[],
  read: readonly Entry[],
): readonly Entry[] {
  const before = new Map(known.map((entry) => [entry.id, entry]))
  const entries = read.map((entry) => same(before.get(entry.id), entry))
  const isSame = entries.length === known.length && entries.every((entry, at) => entry === known[at])
  return isSame ? known : entries
}

function same<Entry>(before: Entry | undefined, read: Entry): Entry {
  return before !== undefined && isDeepStrictEqual(before, read) ? before : read
}

async function readAllTokens(db: Sql, dialect: StateReading['dialect'], known: StoredTokens): Promise<StoredTokens> {
  const read: StoredToken[] = []
  const first = db.selectFrom('tokens').select(TOKEN_COLUMNS).orderBy('id').limit(PAGE)
  for (let page = dialect.readMany(db, first, TOKEN_COLUMNS); ; ) {
    const rows = await page
    const isLast = rows.length < PAGE
    // The database reads the next page while this one is converted.
    if (!isLast) page = dialect.readMany(db, first.where('id', '>', rows.at(-1)?.id ?? ''), TOKEN_COLUMNS)
    // A page that fails after an unreadable row is not awaited any more.
    page.catch(() => {})
    for (const row of rows) {
      const token = fromTokenRow(row)
      read.push(same(known.get(token.id), token))
    }
    if (isLast) break
    await setImmediate()
  }
  if (known.size === 0) return inSlices(StoredTokens.steps(read))
  const ids = new Set(read.map(({ id }) => id))
  const removed = Array.from(known, ({ id }) => id).filter((id) => !ids.has(id))
  const changed = read.filter((token) => known.get(token.id) !== token)
  return changed.length + removed.length === 0 ? known : known.with(changed, removed)
}

async function readServers(db: Sql, box: SecretBox, ids?: readonly string[]): Promise<StoredState['servers']> {
  const query = db.selectFrom('servers').selectAll().orderBy('position').orderBy('id')
  const rows = await inPortions(ids, (some) =>
    query.$if(some !== undefined, (all) => all.where('id', 'in', some ?? [])).execute(),
  )
  return rows.map((row) => fromServerRow(row, box))
}

async function readEndpoints(db: Sql, ids?: readonly string[]): Promise<StoredState['endpoints']> {
  const query = db.selectFrom('endpoints').selectAll().orderBy('position').orderBy('id')
  const rows = await inPortions(ids, (some) =>
    query.$if(some !== undefined, (all) => all.where('id', 'in', some ?? [])).execute(),
  )
  return rows.map(fromEndpointRow)
}

async function readTokens(db: Sql, ids: readonly string[]): Promise<readonly StoredToken[]> {
  const rows = await inPortions(ids, (some) =>
    db
      .selectFrom('tokens')
      .selectAll()
      .where('id', 'in', some ?? [])
      .execute(),
  )
  return rows.map(fromTokenRow)
}

/** @param dialect for many projects, which may have many servers */
async function readProjects(
  db: Sql,
  ids: readonly string[],
  dialect?: StateReading['dialect'],
): Promise<StoredState['projects']> {
  const projects: StoredProject[] = []
  for (let from = 0; from < ids.length; from += PROJECTS_AT_ONCE) {
    const some = ids.slice(from, from + PROJECTS_AT_ONCE)
    const rows = await db
      .selectFrom('projects')
      .selectAll()
      .where('id', 'in', some)
      .orderBy('position')
      .orderBy('id')
      .execute()
    const itsServers = db
      .selectFrom('project_servers')
      .select(PROJECT_SERVER_COLUMNS)
      .where('project_id', 'in', some)
      .orderBy('position')
    const servers = await (dialect?.readMany(db, itsServers, PROJECT_SERVER_COLUMNS) ?? itsServers.execute())
    const tools = await db
      .selectFrom('project_tools')
      .selectAll()
      .where('project_id', 'in', some)
      .orderBy('position')
      .execute()
    const serversOf = Map.groupBy(servers, ({ project_id }) => project_id)
    const toolsOf = Map.groupBy(tools, ({ project_id }) => project_id)
    for (const project of rows) {
      const [ofServers, ofTools] = [serversOf.get(project.id) ?? [], toolsOf.get(project.id) ?? []]
      projects.push(fromProjectRows({ project, servers: ofServers, tools: ofTools }))
    }
  }
  return projects
}

/** Settings are few, so that all are read. */
async function readSettings(db: Sql): Promise<StoredState['settings']> {
  const settings = await db.selectFrom('settings').selectAll().orderBy('name').execute()
  return new Map(settings.map(({ name, value }) => [fromStorable(name), JSON.parse(value) as unknown]))
}

/** Reads rows by their ids, some at a time; without ids, all at once. */
async function inPortions<Row>(
  ids: readonly string[] | undefined,
  read: (some: readonly string[] | undefined) => Promise<Row[]>,
): Promise<Row[]> {
  if (ids === undefined) return read(undefined)
  const rows: Row[] = []
  for (const portion of portionsOf(ids)) rows.push(...(await read(portion)))
  return rows
}
