import type { ChangeEvent } from '@tooldex/contract/admin'
import { useEffect, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { addressOf } from './call.ts'
import { invalidateFor } from './queries.ts'

/** Whether the gateway can be reached. */
export type Connection = 'connecting' | 'open' | 'lost'

/** Follows what changes in the gateway and asks again for what is shown. Browsers reconnect by themselves. */
export function useEvents(): Connection {
  const client = useQueryClient()
  const [connection, setConnection] = useState<Connection>('connecting')
  useEffect(() => {
    let wasLost = false
    const events = new EventSource(addressOf('followEvents', {}))
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
    })
    events.addEventListener('change', (event) => {
      const { what } = JSON.parse((event as MessageEvent<string>).data) as ChangeEvent
      invalidateFor(client, what)
    })
    return () => events.close()
  }, [client])
  return connection
}
