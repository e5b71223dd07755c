import { useQueryClient } from '@tanstack/react-query'
import type { ChangeEvent } from '@tooldex/contract/admin'
import { useEffect, useState } from 'react'
import { addressOf } from './call.ts'
import { invalidateFor } from './queries.ts'

/** Whether the gateway can be reached. */
export type Connection = 'connecting' | 'open' | 'lost'

const TRY_AGAIN_MS = 3_000

/** Follows what changes in the gateway and asks again for what is shown. */
export function useEvents(): Connection {
  const client = useQueryClient()
  const [connection, setConnection] = useState<Connection>('connecting')
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    const events = new EventSource(addressOf('followEvents', {}))
    let timer: ReturnType<typeof setTimeout> | undefined
    let wasLost = attempt > 0
    events.addEventListener('open', () => {
      setConnection('open')
      // Whatever happened meanwhile was not told.
      if (wasLost) void client.invalidateQueries()
      wasLost = false
    })
    events.addEventListener('error', () => {
      wasLost = true
      setConnection('lost')
      // A revoked token ends the stream for good; asking who we are finds out.
      void client.invalidateQueries({ queryKey: ['getSession'] })
      // A browser tries again by itself when nobody answers, and never after a refusal.
      if (events.readyState === EventSource.CLOSED) timer = setTimeout(() => setAttempt(attempt + 1), TRY_AGAIN_MS)
    })
    events.addEventListener('change', (event) => {
      const { what } = JSON.parse((event as MessageEvent<string>).data) as ChangeEvent
      invalidateFor(client, what)
    })
    return () => {
      clearTimeout(timer)
      events.close()
    }
  }, [client, attempt])
  return connection
}
