import type { AuditEntry } from '../../packages/gateway/src/model/audit.ts'
import { openStore } from '../../packages/gateway/src/store/open-store.ts'
import { openLogger } from '../../packages/gateway/src/telemetry/logger.ts'

const BATCH = 2_000

/** Writes audit entries into the store of a gateway, which may be running. */
export async function storeEntries(dataDir: string, entries: readonly AuditEntry[]): Promise<void> {
  const store = await openStore({ dataDir, logger: openLogger({ level: 'error', pretty: false }).logger })
  for (let at = 0; at < entries.length; at += BATCH) await store.audit.append(entries.slice(at, at + BATCH))
  await store.close()
}
