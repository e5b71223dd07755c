import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { ChangeEvent } from '@tooldex/contract/admin'
import { useEffect, useState } from 'react'
import { addressOf } from './call.ts'
import { followStream } from './event-stream.ts'
import { askWhoWeAre, invalidateFor } from './queries.ts'

/** Whether the gateway can be reached. */
export type Connection = 'connecting' | 'open' | 'lost'

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
