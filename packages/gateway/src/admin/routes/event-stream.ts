import type { ChangeEvent } from '@tooldex/contract/admin'
import type { AdminParts } from './admin-context.ts'

const HEARTBEAT_MS = 15_000
/** A reader with more unread events than this is disconnected. */
const MOST_WAITING = 1_000

/** Sends one event with its name and data. */
type SendEvent = (event: string, data: unknown) => void

/**
 * A stream of server-sent events. `begin` receives the function that sends an event and returns the one that stops the
 * source. The stream ends when the reader disconnects or falls too far behind.
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
            // The reader has already cancelled the stream.
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

/** Sends change events, at most one per entry within 100 ms. Returns the function that stops it. */
export function changeEvents({ store, models, live, approvals }: AdminParts, send: SendEvent): () => void {
  const waiting = new Map<string, ChangeEvent>()
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    timer = undefined
    for (const event of waiting.values()) send('change', event)
    waiting.clear()
  }
  const report = (event: ChangeEvent): void => {
    waiting.set(`${event.what} ${event.id ?? ''}`, event)
    timer ??= setTimeout(flush, GATHER_MS).unref()
  }
  const ends = [
    store.onChange(() => report({ what: 'configuration' })),
    models.onChange(() => report({ what: 'configuration' })),
    live?.catalog.onChange(({ serverId, lists }) => {
      if (lists.includes('tools')) report({ what: 'tools', id: serverId })
    }),
    approvals.onHeld((id) => report({ what: 'review', id })),
    live?.pool.onEvent((event) => {
      if (event.kind === 'state') report({ what: 'server', id: event.serverId })
    }),
  ]
  return () => {
    clearTimeout(timer)
    for (const end of ends) end?.()
  }
}
