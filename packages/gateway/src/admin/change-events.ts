import type { ChangeEvent } from '@tooldex/contract/admin'
import type { AdminParts } from './admin-parts.ts'
import type { SendEvent } from './event-stream.ts'

const GATHER_MS = 100

/** Tells what changed, each thing once in a while however often it changes. Answers the function that ends it. */
export function changeEvents({ store, models, live }: AdminParts, send: SendEvent): () => void {
  const waiting = new Map<string, ChangeEvent>()
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    timer = undefined
    for (const event of waiting.values()) send('change', event)
    waiting.clear()
  }
  const tell = (event: ChangeEvent): void => {
    waiting.set(`${event.what} ${event.id ?? ''}`, event)
    timer ??= setTimeout(flush, GATHER_MS).unref()
  }
  const ends = [
    store.onChange(() => tell({ what: 'configuration' })),
    models.onChange(() => tell({ what: 'configuration' })),
    live?.catalog.onChange(({ serverId, lists }) => {
      if (lists.includes('tools')) tell({ what: 'tools', id: serverId })
    }),
    live?.pool.onEvent((event) => {
      if (event.kind === 'state') tell({ what: 'server', id: event.serverId })
    }),
  ]
  return () => {
    clearTimeout(timer)
    for (const end of ends) end?.()
  }
}
