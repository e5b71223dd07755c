import { createHash } from 'node:crypto'
import { isRecord } from '@tooldex/http-kit/json'
import { type Pin, PIN_DECISIONS, type PinChange, pinId, type PinRepository, type PinTexts } from '../model/pins.ts'
import type { Store } from '../model/store.ts'
import type { StoredState } from '../model/stored-state.ts'
import type { SqlDatabase } from './sql-database.ts'
import type { Sql } from './sql-dialect.ts'
import { fromStorable, toStorable } from './storable-text.ts'
import type { PinRow } from './tables.ts'

/** Rows per statement; databases limit the number of values. */
const PORTION = 500

/** The pins of all servers. */
export class SqlPins implements PinRepository {
  readonly #database: SqlDatabase
  readonly #state: Pick<Store, 'change' | 'onChange'>

  constructor({ database, state }: { database: SqlDatabase; state: Pick<Store, 'change' | 'onChange'> }) {
    this.#database = database
    this.#state = state
  }

  async load(serverId: string): Promise<readonly Pin[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('pins')
        .select(['kind', 'name', 'hash', 'how', 'decided_by', 'decided_at', 'changes', 'claims'])
        .select(['blocked_hash', 'blocked_by', 'blocked_at'])
        .where('server_id', '=', toStorable(serverId))
        .orderBy('pin_hash')
        .execute(),
    )
    return rows.map(fromRow)
  }

  async texts(serverId: string, pinIds: readonly string[]): Promise<ReadonlyMap<string, PinTexts>> {
    const found = new Map<string, PinTexts>()
    const ids = new Map(pinIds.map((id) => [hashOf(id), id]))
    for (const portion of portionsOf([...ids.keys()])) {
      const rows = await this.#database.read((db) =>
        db
          .selectFrom('pins')
          .select(['pin_hash', 'definition', 'previous'])
          .where('server_id', '=', toStorable(serverId))
          .where('pin_hash', 'in', [...portion])
          .execute(),
      )
      for (const { pin_hash, definition, previous } of rows) {
        const texts = { ...(definition !== null && { definition }), ...(previous !== null && { previous }) }
        found.set(ids.get(pin_hash) ?? '', texts)
      }
    }
    return found
  }

  async servers(): Promise<readonly string[]> {
    const rows = await this.#database.read((db) =>
      db.selectFrom('pins').select('server_id').distinct().orderBy('server_id').execute(),
    )
    return rows.map(({ server_id }) => fromStorable(server_id))
  }

  record(changes: readonly PinChange[]): Promise<ReadonlySet<string>> {
    if (changes.length === 0) return Promise.resolve(new Set())
    return this.#database.write((transaction) => writePins(transaction, changes), {
      isBulk: changes.length > PORTION,
    })
  }

  async decide(changes: readonly PinChange[]): Promise<boolean> {
    const conflict = new Error('A pin is not as expected')
    try {
      await this.#state.change(async (state) => {
        if ((await state.putPins(changes)).size > 0) throw conflict
        const counts = decisionsOf(state.state)
        for (const { serverId } of changes) counts.set(serverId, (counts.get(serverId) ?? 0) + 1)
        await state.putSetting(PIN_DECISIONS, Object.fromEntries(counts))
      })
      return true
    } catch (error) {
      if (error === conflict) return false
      throw error
    }
  }

  onDecided(listener: (serverIds: readonly string[]) => void): () => void {
    return this.#state.onChange((state, previous) => {
      const before = decisionsOf(previous)
      const changed = [...decisionsOf(state)].filter(([serverId, count]) => before.get(serverId) !== count)
      if (changed.length > 0) listener(changed.map(([serverId]) => serverId))
    })
  }
}

function decisionsOf({ settings }: StoredState): Map<string, number> {
  const stored = settings.get(PIN_DECISIONS)
  return new Map(Object.entries((isRecord(stored) ? stored : {}) as Readonly<Record<string, number>>))
}

/** Writes pins into a transaction. Returns the ids of those that are not as expected. */
export async function writePins(db: Sql, changes: readonly PinChange[]): Promise<ReadonlySet<string>> {
  const conflicts = new Set<string>()
  const added = changes.filter(({ expected }) => expected === null)
  for (const portion of portionsOf(added)) {
    const inserted = await db
      .insertInto('pins')
      .values(portion.map(toRow))
      .onConflict((conflict) => conflict.columns(['server_id', 'pin_hash']).doNothing())
      .returning(['server_id', 'pin_hash'])
      .execute()
    if (inserted.length === portion.length) continue
    const done = new Set(inserted.map(({ server_id, pin_hash }) => `${server_id} ${pin_hash}`))
    for (const change of portion) {
      const { server_id, pin_hash } = toRow(change)
      // A block is remembered where nothing was ever approved.
      if (!done.has(`${server_id} ${pin_hash}`) && !(await replaced(db, change))) conflicts.add(pinId(change.pin))
    }
  }
  for (const change of changes.filter(({ expected }) => expected !== null)) {
    if (!(await replaced(db, change))) conflicts.add(pinId(change.pin))
  }
  return conflicts
}

async function replaced(db: Sql, change: PinChange): Promise<boolean> {
  const { expected } = change
  const row = toRow(change)
  if (expected === undefined) {
    await db
      .insertInto('pins')
      .values(row)
      .onConflict((conflict) => conflict.columns(['server_id', 'pin_hash']).doUpdateSet(row))
      .execute()
    return true
  }
  const update = db
    .updateTable('pins')
    .set(row)
    .where('server_id', '=', row.server_id)
    .where('pin_hash', '=', row.pin_hash)
  const { numUpdatedRows } = await (expected === null
    ? update.where('hash', 'is', null)
    : update.where('hash', '=', expected)
  ).executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

function toRow({ serverId, pin, definition, previous }: PinChange): PinRow {
  const { kind, name, approved, blocked } = pin
  return {
    server_id: toStorable(serverId),
    pin_hash: hashOf(pinId(pin)),
    kind,
    name: toStorable(name),
    hash: approved?.hash ?? null,
    how: approved?.how ?? null,
    decided_by: approved?.by === undefined ? null : toStorable(approved.by),
    decided_at: approved?.at ?? null,
    changes: approved?.changes ?? 0,
    claims: approved?.claims === undefined ? null : JSON.stringify(approved.claims),
    definition: definition ?? null,
    previous: previous ?? null,
    blocked_hash: blocked?.hash ?? null,
    blocked_by: blocked === undefined ? null : toStorable(blocked.by),
    blocked_at: blocked?.at ?? null,
  }
}

function fromRow(row: Omit<PinRow, 'server_id' | 'pin_hash' | 'definition' | 'previous'>): Pin {
  const { kind, hash, how, decided_by: by, decided_at: at, changes, claims } = row
  const { blocked_hash, blocked_by, blocked_at } = row
  return {
    kind,
    name: fromStorable(row.name),
    ...(hash !== null && {
      approved: {
        ...{ hash, how: how ?? 'recorded', at: at ?? 0, changes },
        ...(by !== null && { by: fromStorable(by) }),
        ...(claims !== null && { claims: JSON.parse(claims) as string[] }),
      },
    }),
    ...(blocked_hash !== null && {
      blocked: { hash: blocked_hash, by: fromStorable(blocked_by ?? ''), at: blocked_at ?? 0 },
    }),
  }
}

function hashOf(id: string): string {
  return createHash('sha256').update(toStorable(id)).digest('hex')
}

/** Splits rows into portions that one statement can take. */
export function portionsOf<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  return Array.from({ length: Math.ceil(rows.length / PORTION) }, (_, at) =>
    rows.slice(at * PORTION, (at + 1) * PORTION),
  )
}
