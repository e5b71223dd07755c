import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { ChangeEvent } from '@tooldex/contract/admin'
import { useEffect, useState } from 'react'
import { addressOf } from './call.ts'
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
 * Follows an event stream until the returned function is called. Browsers reconnect after a lost connection, but not
 * after an error response; this reconnects after both, so that a stream survives a restart of the gateway.
 */
export function followStream(address: string, { events, onOpen, onLost }: StreamUse): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let source: EventSource | undefined
  const open = (): void => {
    const stream = new EventSource(address)
    source = stream
    stream.addEventListener('open', () => onOpen?.())
    stream.addEventListener('error', () => {
      onLost?.()
      if (stream.readyState === EventSource.CLOSED) timer = setTimeout(open, TRY_AGAIN_MS)
    })
    for (const [name, take] of Object.entries(events))
      stream.addEventListener(name, (event) => take(JSON.parse((event as MessageEvent<string>).data)))
  }
  open()
  return () => {
    clearTimeout(timer)
    source?.close()
  }
}
