/**
 * Writes decisions and audit entries as fast as it can and prints which ones are stored, until it is killed.
 * Usage: store-writer.ts <data folder> <first number>
 */
import { writeSync } from 'node:fs'
import type { AuditEntry } from '../../packages/gateway/src/model/audit.ts'
import { openStore } from '../../packages/gateway/src/store/open-store.ts'
import { silentLogger } from '../../packages/gateway/src/telemetry/logger.ts'

const [dataDir = '', first = '0'] = process.argv.slice(2)
const store = await openStore({ dataDir, logger: silentLogger() })
// Synchronously, unlike `console`, so that printed lines survive a kill.
const say = (line: string): void => void writeSync(1, `${line}\n`)
say('ready 0')

const entry = (requestId: string): AuditEntry =>
  ({
    ...{ kind: 'call', at: Date.now(), requestId, tokenId: 't', projectId: 'p', endpointId: 'e', durationMs: 1 },
    ...{ outcome: 'ok', serverId: 's', toolKey: 's:t', requestBytes: 1, resultBytes: 1 },
  }) as AuditEntry

async function decide(): Promise<never> {
  for (let number = Number(first); ; number++) {
    await store.change((changes) => changes.putSetting(`decision-${number}`, number))
    say(`decision ${number}`)
  }
}

async function audit(): Promise<never> {
  for (let number = Number(first); ; number++) {
    await store.audit.append(Array.from({ length: 20 }, (_, at) => entry(`${number}-${at}`)))
    say(`audit ${number}`)
  }
}

await Promise.all([decide(), audit()])
