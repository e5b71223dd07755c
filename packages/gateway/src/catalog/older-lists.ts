import type { LastGoodStore } from '../model/last-good.ts'

/** A store that takes over, when asked for them, lists that an earlier release kept elsewhere. */
export function withOlderLists(store: LastGoodStore, older: Pick<LastGoodStore, 'load'>): LastGoodStore {
  return {
    async load(serverId) {
      const kept = await store.load(serverId)
      if (kept !== undefined) return kept
      const found = await older.load(serverId)
      // Nobody waits for it: losing it loses time only.
      if (found !== undefined) void store.save(serverId, found).catch(() => {})
      return found
    },
    save: (serverId, lists) => store.save(serverId, lists),
  }
}
