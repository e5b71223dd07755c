import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { ChangeEvent } from '@tooldex/contract/admin'
import { useEffect, useState } from 'react'
import { addressOf } from './call.ts'
import { askWhoWeAre, invalidateFor } from './queries.ts'

/** Whether the gateway can be reached. */
type Connection = 'connecting' | 'open' | 'lost'

/** Follows what changes in the gateway and asks again for what is shown. */
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
      // Whatever happened meanwhile was not told.
      if (wasLost) void client.invalidateQueries()
      wasLost = false
    },
    onLost: () => {
      wasLost = true
      tell('lost')
      // A token that is revoked or expires ends its streams; asking who we are finds out.
      askWhoWeAre(client)
    },
  }
}

const TRY_AGAIN_MS = 3_000

/** What is done with a stream. */
interface StreamUse {
  /** By the name of the event: what is done with its data. */
  readonly events: Readonly<Record<string, (data: unknown) => void>>
  readonly onOpen?: () => void
  /** It ended, or could not be opened. It is tried again by itself. */
  readonly onLost?: () => void
}

/**
 * Follows a stream of events until the answered function is called. A browser tries again by itself where nobody answers,
 * and never after a refusal; here it is tried again after both, so that a stream outlives a gateway that restarts.
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
