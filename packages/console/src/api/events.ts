import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { ChangeEvent } from '@tooldex/contract/admin'
import { useEffect, useState } from 'react'
import { addressOf, request } from './call.ts'
import { checkSession, invalidateFor } from './queries.ts'

/** Whether the gateway can be reached. */
type Connection = 'connecting' | 'open' | 'lost'

/** Follows the change events of the gateway and refetches the queries that they affect. */
export function useEvents(): Connection {
  const client = useQueryClient()
  const [connection, setConnection] = useState<Connection>('connecting')
  useEffect(() => followStream(addressOf('followEvents', {}), changesOf(client, setConnection)), [client])
  return connection
}

function changesOf(client: QueryClient, tell: (connection: Connection) => void): Parameters<typeof followStream>[1] {
  let wasLost = false
  return {
    events: { change: (event) => invalidateFor(client, (event as ChangeEvent).what) },
    onOpen: () => {
      tell('open')
      // Events of the meantime are lost.
      if (wasLost) void client.invalidateQueries()
      wasLost = false
    },
    onLost: () => {
      wasLost = true
      tell('lost')
      // The gateway ends the streams of a revoked or expired token; checking the session detects that.
      checkSession(client)
    },
  }
}

const TRY_AGAIN_MS = 3_000

/** Handlers of an event stream. */
interface StreamUse {
  /** Handlers of the data, by event name. */
  readonly events: Readonly<Record<string, (data: unknown) => void>>
  readonly onOpen?: () => void
  /** The stream ended or failed to open. It reconnects by itself. */
  readonly onLost?: () => void
}

/**
 * Follows an event stream until the returned function is called, and reconnects when it ends or fails. Read with `fetch`,
 * because an `EventSource` cannot send the page secret.
 */
export function followStream(address: string, { events, onOpen, onLost }: StreamUse): () => void {
  const leaving = new AbortController()
  const { signal } = leaving
  let timer: ReturnType<typeof setTimeout> | undefined
  const follow = async (): Promise<void> => {
    try {
      const { body } = await request(address, { headers: { accept: 'text/event-stream' }, signal })
      onOpen?.()
      if (body !== null) for await (const { event, data } of eventsIn(body)) events[event]?.(JSON.parse(data))
    } catch {
      // The gateway or the session ended; the next attempt shows which.
    }
    if (signal.aborted) return
    onLost?.()
    timer = setTimeout(() => void follow(), TRY_AGAIN_MS)
  }
  void follow()
  return () => {
    clearTimeout(timer)
    leaving.abort()
  }
}

/** The events of a stream as the gateway writes them: a line with the name, a line with the data, an empty line. */
export async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<{ event: string; data: string }> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  try {
    for (let unread = ''; ; ) {
      const { done, value } = await reader.read()
      if (done) return
      const parts = `${unread}${value}`.split('\n\n')
      unread = parts.pop() ?? ''
      for (const part of parts) {
        const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(part) ?? []
        if (event !== undefined && data !== undefined) yield { event, data }
      }
    }
  } finally {
    // Also when the reader of the events leaves early.
    await reader.cancel().catch(() => undefined)
  }
}
