import { createHash } from 'node:crypto'
import { MOST_USES, MOST_USES_OF_CALLER, usedAgain } from '@tooldex/search'
import type { StoredUse, UseCondition, UseRepository, UseRevision } from '../model/learned-use.ts'
import { claimBatch, type SqlDatabase } from './sql-database.ts'
import type { Sql } from './sql-dialect.ts'
import { fromStorable, toStorable } from './storable-text.ts'
import type { LearnedUseRow } from './tables.ts'

/** Rows per statement; databases limit the number of values. */
const PORTION = 200
/** Short, because the caller keeps its uses and retries. */
const BULK = { isBulk: true, retryForMs: 1_000 } as const
/** SQLite has no offset without a limit. */
const ALL_ROWS = 1_000_000_000

/** Learnt uses in a database. A row for the state is locked by every change, so that changes are numbered in order. */
export class SqlUses implements UseRepository {
  readonly #database: SqlDatabase
  readonly #now: () => number

  constructor({ database, now }: { readonly database: SqlDatabase; readonly now: () => number }) {
    this.#database = database
    this.#now = now
  }

  async add(uses: readonly StoredUse[], batchId: string): Promise<void> {
    await this.#database.write(async (transaction) => {
      if (await claimBatch(transaction, batchId, this.#now())) await write(transaction, uses, addUp)
    }, BULK)
  }

  async put(uses: readonly StoredUse[]): Promise<void> {
    await this.#database.write((transaction) => write(transaction, uses, (_, row) => row))
  }

  async forget(projectId: string, condition: UseCondition = {}): Promise<number> {
    const { query, toolKey, tokenId } = condition
    return this.#database.write(async (transaction) => {
      await noteForgotten(transaction)
      let rows = transaction.deleteFrom('learned_uses').where('project_id', '=', toStorable(projectId))
      if (query !== undefined) rows = rows.where('query', '=', toStorable(query))
      if (toolKey !== undefined) rows = rows.where('tool_key', '=', toStorable(toolKey))
      if (tokenId !== undefined) rows = rows.where('token_id', '=', toStorable(tokenId))
      return Number((await rows.executeTakeFirstOrThrow()).numDeletedRows)
    })
  }

  revision(): Promise<UseRevision> {
    return this.#database.read((db) =>
      db.selectFrom('learned_state').select(['latest', 'forgotten']).executeTakeFirstOrThrow(),
    )
  }

  async changedAfter(revision: number, projectIds: readonly string[]): Promise<readonly StoredUse[]> {
    if (projectIds.length === 0) return []
    const rows = await this.#database.scan((db) =>
      db
        .selectFrom('learned_uses')
        .selectAll()
        .where('revision', '>', revision)
        .where('project_id', 'in', projectIds.map(toStorable))
        .orderBy('revision')
        .orderBy('used_at')
        .orderBy('use_key')
        .execute(),
    )
    return rows.map(fromRow)
  }

  all(projectId: string): Promise<readonly StoredUse[]> {
    return this.changedAfter(0, [projectId])
  }

  async prune(before: number): Promise<void> {
    // Mostly there is nothing to remove, for which no thread has to start.
    const old = await this.#database.read((db) =>
      db.selectFrom('learned_uses').select('use_key').where('used_at', '<', before).limit(1).executeTakeFirst(),
    )
    if (old === undefined) return
    await this.#database.write(async (transaction) => {
      const { numDeletedRows } = await transaction
        .deleteFrom('learned_uses')
        .where('used_at', '<', before)
        .executeTakeFirstOrThrow()
      if (numDeletedRows > 0n) await noteForgotten(transaction)
    }, BULK)
  }
}

type Merge = (known: LearnedUseRow | undefined, row: LearnedUseRow) => LearnedUseRow

async function write(transaction: Sql, uses: readonly StoredUse[], merge: Merge): Promise<void> {
  const { latest } = await transaction
    .updateTable('learned_state')
    .set((eb) => ({ latest: eb('latest', '+', 1) }))
    .returning('latest')
    .executeTakeFirstOrThrow()
  const rows = uses.map((use) => toRow(use, latest))
  const merged = new Map<string, LearnedUseRow>()
  for (const [key, known] of await knownRows(transaction, rows)) merged.set(key, known)
  const changed = new Set<string>()
  for (const row of rows) {
    const key = keyOf(row)
    merged.set(key, { ...merge(merged.get(key), row), revision: latest })
    changed.add(key)
  }
  await insert(
    transaction,
    [...merged].flatMap(([key, row]) => (changed.has(key) ? [row] : [])),
  )
  for (const projectId of new Set(rows.map((row) => row.project_id))) {
    const tokenIds = new Set(rows.flatMap((row) => (row.project_id === projectId ? [row.token_id] : [])))
    for (const tokenId of tokenIds) await removeBeyond(transaction, MOST_USES_OF_CALLER, projectId, tokenId)
    await removeBeyond(transaction, MOST_USES, projectId)
  }
}

function addUp(known: LearnedUseRow | undefined, row: LearnedUseRow): LearnedUseRow {
  const before = known && { weight: known.weight, at: known.used_at }
  const { weight, at } = usedAgain(before, { weight: row.weight, at: row.used_at })
  return { ...row, weight, used_at: at }
}

async function knownRows(
  transaction: Sql,
  rows: readonly LearnedUseRow[],
): Promise<readonly (readonly [string, LearnedUseRow])[]> {
  const known: LearnedUseRow[] = []
  for (const portion of portionsOf([...new Set(rows.map((row) => row.use_key))])) {
    known.push(...(await transaction.selectFrom('learned_uses').selectAll().where('use_key', 'in', portion).execute()))
  }
  return known.map((row) => [keyOf(row), row])
}

async function insert(transaction: Sql, rows: readonly LearnedUseRow[]): Promise<void> {
  for (const portion of portionsOf(rows)) {
    await transaction
      .insertInto('learned_uses')
      .values(portion)
      .onConflict((conflict) =>
        conflict.column('use_key').doUpdateSet((eb) => ({
          weight: eb.ref('excluded.weight'),
          used_at: eb.ref('excluded.used_at'),
          revision: eb.ref('excluded.revision'),
        })),
      )
      .execute()
  }
}

/** Removes the oldest uses of a project, or of one caller in it, beyond a number. Gateways forget them by the same rule. */
async function removeBeyond(transaction: Sql, most: number, projectId: string, tokenId?: string): Promise<void> {
  let beyond = transaction.selectFrom('learned_uses').select('use_key').where('project_id', '=', projectId)
  if (tokenId !== undefined) beyond = beyond.where('token_id', '=', tokenId)
  await transaction
    .deleteFrom('learned_uses')
    .where(
      'use_key',
      'in',
      beyond
        .orderBy('revision', 'desc')
        .orderBy('used_at', 'desc')
        .orderBy('use_key', 'desc')
        .limit(ALL_ROWS)
        .offset(most),
    )
    .execute()
}

async function noteForgotten(transaction: Sql): Promise<void> {
  await transaction
    .updateTable('learned_state')
    .set((eb) => ({ latest: eb('latest', '+', 1), forgotten: eb('latest', '+', 1) }))
    .execute()
}

function toRow({ projectId, query, toolKey, tokenId, weight, at }: StoredUse, revision: number): LearnedUseRow {
  // Hashed, because texts may be too long for an index.
  const identity = JSON.stringify([projectId, query, toolKey, tokenId])
  return {
    use_key: createHash('sha256').update(identity, 'utf16le').digest('base64url'),
    project_id: toStorable(projectId),
    query: toStorable(query),
    tool_key: toStorable(toolKey),
    token_id: toStorable(tokenId),
    weight,
    used_at: at,
    revision,
  }
}

function fromRow(row: LearnedUseRow): StoredUse {
  return {
    projectId: fromStorable(row.project_id),
    query: fromStorable(row.query),
    toolKey: fromStorable(row.tool_key),
    tokenId: fromStorable(row.token_id),
    weight: row.weight,
    at: row.used_at,
  }
}

const keyOf = ({ use_key }: LearnedUseRow): string => use_key

function portionsOf<Item>(items: readonly Item[]): Item[][] {
  const portions: Item[][] = []
  for (let from = 0; from < items.length; from += PORTION) portions.push(items.slice(from, from + PORTION))
  return portions
}
