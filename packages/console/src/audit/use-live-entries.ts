import { useQueryClient } from '@tanstack/react-query'
import type { AdminAuditEntry } from '@tooldex/contract/admin'
import { useEffect, useState } from 'react'
import { addressOf } from '../api/call.ts'
import { followStream } from '../api/event-stream.ts'
import { askWhoWeAre } from '../api/queries.ts'
import type { queryOf } from './audit-filter.ts'

const MOST = 500

/** Entries as they happen, newest first. */
export function useLiveEntries(query: ReturnType<typeof queryOf>, isLive: boolean): readonly AdminAuditEntry[] {
  const client = useQueryClient()
  const [entries, setEntries] = useState<readonly AdminAuditEntry[]>([])
  const address = addressOf('followAudit', { query })
  useEffect(() => {
    setEntries([])
    if (!isLive) return
    return followStream(address, {
      events: { entry: (entry) => setEntries((before) => [entry as AdminAuditEntry, ...before].slice(0, MOST)) },
      onLost: () => askWhoWeAre(client),
    })
  }, [client, address, isLive])
  return entries
}
