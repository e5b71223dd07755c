import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '@tooldex/http-kit/json'
import { type LastGoodLists, type LastGoodStore, LIST_NAMES, type ListName } from '../model/last-good.ts'

const FORMAT = 1

/** Stores lists as one JSON file per server. Files are replaced atomically; invalid files are ignored. */
export class LastGoodFiles implements LastGoodStore {
  readonly #folder: string
  /** The latest write per server; writes of one server run one after the other. */
  readonly #writes = new Map<string, Promise<void>>()

  /** @param folder created by the first write */
  constructor(folder: string) {
    this.#folder = folder
  }

  async load(serverId: string): Promise<LastGoodLists | undefined> {
    try {
      return readLists(JSON.parse(await readFile(this.#pathOf(serverId), 'utf8')), serverId)
    } catch {
      // Missing, unreadable or truncated: the server will be listed again.
      return undefined
    }
  }

  save(serverId: string, lists: LastGoodLists): Promise<void> {
    const before = this.#writes.get(serverId) ?? Promise.resolve()
    const write = before.catch(() => {}).then(() => this.#write(serverId, lists))
    this.#writes.set(serverId, write)
    return write.finally(() => {
      if (this.#writes.get(serverId) === write) this.#writes.delete(serverId)
    })
  }

  async #write(serverId: string, lists: LastGoodLists): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const path = this.#pathOf(serverId)
    const temporary = `${path}.${process.pid}.tmp`
    try {
      await writeFile(temporary, JSON.stringify({ format: FORMAT, serverId, ...lists }), { mode: 0o600 })
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }

  /** Readable, and unique even where the file system ignores case or forbids characters. */
  #pathOf(serverId: string): string {
    const readable = serverId.replace(/[^A-Za-z0-9_-]/gu, '_').slice(0, 60)
    const hash = createHash('sha256').update(serverId).digest('hex').slice(0, 16)
    return join(this.#folder, `${readable}-${hash}.json`)
  }
}

function readLists(stored: unknown, serverId: string): LastGoodLists | undefined {
  if (!isRecord(stored) || stored['format'] !== FORMAT || stored['serverId'] !== serverId) return undefined
  const { origin, instructions, asksClients, lists } = stored
  if (typeof origin !== 'string' || !isRecord(lists)) return undefined
  const whole = LIST_NAMES.every((name) => Array.isArray(lists[name]) && lists[name].every(isRecord))
  if (!whole) return undefined
  return {
    origin,
    lists: lists as Record<ListName, Record<string, unknown>[]>,
    ...(typeof instructions === 'string' ? { instructions } : {}),
    ...(asksClients === true && { asksClients }),
  }
}

/** A store that also reads the list files of earlier releases, and copies them on first use. */
export function withListFiles(store: LastGoodStore, older: Pick<LastGoodStore, 'load'>): LastGoodStore {
  return {
    async load(serverId) {
      const kept = await store.load(serverId)
      if (kept !== undefined) return kept
      const found = await older.load(serverId)
      // Not awaited: a lost copy only costs time.
      if (found !== undefined) void store.save(serverId, found).catch(() => {})
      return found
    },
    save: (serverId, lists) => store.save(serverId, lists),
  }
}
