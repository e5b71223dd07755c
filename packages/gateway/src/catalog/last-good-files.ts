import { isRecord } from '@tooldex/http-kit/json'
import { type LastGoodLists, type LastGoodStore, LIST_NAMES, type ListName } from '../model/last-good.ts'
import { ServerFiles } from './server-files.ts'

const FORMAT = 1

/** Stores lists as one JSON file per server; invalid files are ignored, and the server is listed again. */
export class LastGoodFiles implements LastGoodStore {
  readonly #files: ServerFiles

  /** @param folder created by the first write */
  constructor(folder: string) {
    this.#files = new ServerFiles(folder)
  }

  async load(serverId: string): Promise<LastGoodLists | undefined> {
    return readLists(await this.#files.read(serverId), serverId)
  }

  save(serverId: string, lists: LastGoodLists): Promise<void> {
    return this.#files.write(serverId, { format: FORMAT, serverId, ...lists })
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
