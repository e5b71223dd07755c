import type { ChangeEvent } from '@tooldex/contract/admin'
import type { AdminParts } from './admin-context.ts'

const HEARTBEAT_MS = 15_000
/** Events that wait for a reader before it is taken for gone. */
const MOST_WAITING = 1_000

/** Sends one event: its name and data. */
type SendEvent = (event: string, data: unknown) => void

/**
 * A stream of server-sent events. `begin` is given the way to send and answers the function that ends it. It ends when the
 * reader goes away or does not read.
 */
export function eventStream(signal: AbortSignal, begin: (send: SendEvent) => () => void): Response {
  const encoder = new TextEncoder()
  let stop = (): void => {}
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let isOpen = true
        const write = (text: string): void => {
          if (!isOpen) return
          if ((controller.desiredSize ?? 0) < -MOST_WAITING) stop()
          else controller.enqueue(encoder.encode(text))
        }
        write(': hello\n\n')
        const end = begin((event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
        const heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS).unref()
        stop = () => {
          if (!isOpen) return
          isOpen = false
          clearInterval(heartbeat)
          end()
          try {
            controller.close()
          } catch {
            // The reader was faster.
          }
        }
        signal.addEventListener('abort', stop, { once: true })
        if (signal.aborted) stop()
      },
      cancel: () => stop(),
    },
    new CountQueuingStrategy({ highWaterMark: 1 }),
  )
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' } })
}

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
