import { creating, type Database } from '../database.ts'
import type { CatalogKey, CatalogStore, StoredCatalog } from './catalog-store.ts'

const CREATE = `
  create table if not exists tooldex_search_catalogs (
    project text not null,
    hash text not null,
    tools integer not null,
    packed bytea not null,
    used_at timestamptz not null default now(),
    primary key (project, hash)
  )`
const LOAD = `
  update tooldex_search_catalogs set used_at = now() where project = $1 and hash = $2 returning tools, packed`
const SAVE = `
  insert into tooldex_search_catalogs (project, hash, tools, packed) values ($1, $2, $3, $4)
  on conflict (project, hash) do update set used_at = now()`
const TOUCH = 'update tooldex_search_catalogs set used_at = now() where project = $1 and hash = $2'
/** A project with many catalogs loses its own, not those of others. */
const PRUNE = `
  delete from tooldex_search_catalogs where (project, hash) in (
    select project, hash from (
      select project, hash, used_at,
        row_number() over (partition by project order by used_at desc, hash) as place,
        sum(octet_length(packed)) over (order by used_at desc, hash) as bytes
      from tooldex_search_catalogs
    ) as ranked
    where place > $1 or bytes > $2 or used_at < now() - $3 * interval '1 day'
  )`

/** How much is kept. */
export interface CatalogBounds {
  readonly perProject: number
  /** Packed, of all projects. */
  readonly bytes: number
  readonly unusedDays: number
}

const BOUNDS: CatalogBounds = { perProject: 64, bytes: 2 * 1024 ** 3, unusedDays: 7 }

/** Keeps catalogs in a table that all processes of a service share. */
export class PostgresCatalogs implements CatalogStore {
  readonly #database: Database
  readonly #create: () => Promise<void>
  readonly #bounds: CatalogBounds

  constructor(database: Database, bounds: CatalogBounds = BOUNDS) {
    this.#database = database
    this.#create = creating(database, CREATE)
    this.#bounds = bounds
  }

  async load({ project, hash }: CatalogKey): Promise<StoredCatalog | undefined> {
    await this.#create()
    const { rows } = await this.#database.query(LOAD, [storable(project), hash])
    const { tools, packed } = rows[0] ?? {}
    if (typeof tools !== 'number' || !(packed instanceof Uint8Array)) return undefined
    return { tools, packed }
  }

  async save({ project, hash }: CatalogKey, { tools, packed }: StoredCatalog): Promise<void> {
    await this.#create()
    await this.#database.query(SAVE, [storable(project), hash, tools, packed])
    const { perProject, bytes, unusedDays } = this.#bounds
    await this.#database.query(PRUNE, [perProject, bytes, unusedDays])
  }

  async touch({ project, hash }: CatalogKey): Promise<void> {
    await this.#create()
    await this.#database.query(TOUCH, [storable(project), hash])
  }
}

/** PostgreSQL has no texts with the character 0 or half a pair; project ids of callers may be anything. */
function storable(project: string): string {
  return JSON.stringify(project)
}
