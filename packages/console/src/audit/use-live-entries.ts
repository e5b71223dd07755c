import type { AdminAuditEntry } from '@tooldex/contract/admin'
import { useEffect, useState } from 'react'
import { addressOf } from '../api/call.ts'
import type { queryOf } from './audit-filter.ts'

const MOST = 500

/** Entries as they happen, newest first. */
export function useLiveEntries(query: ReturnType<typeof queryOf>, isLive: boolean): readonly AdminAuditEntry[] {
  const [entries, setEntries] = useState<readonly AdminAuditEntry[]>([])
  const address = addressOf('followAudit', { query })
  useEffect(() => {
    setEntries([])
    if (!isLive) return
    const events = new EventSource(address)
    events.addEventListener('entry', (event) => {
      const entry = JSON.parse((event as MessageEvent<string>).data) as AdminAuditEntry
      setEntries((before) => [entry, ...before].slice(0, MOST))
    })
    return () => events.close()
  }, [address, isLive])
  return entries
}
