// The watcher becomes this program when its gateway is gone. Arguments: the data folder and the gateway's process id.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ProcessRegistry } from './process-registry.ts'
import { systemProcessTable } from './process-table.ts'

/** A gateway that has closed its files may be in the process table for a moment. */
const TRY_FOR_MS = 5_000
const TRY_EVERY_MS = 20

const [dataDir = '', pid = ''] = process.argv.slice(2)
const registry = new ProcessRegistry({ dataDir, table: systemProcessTable(process.platform) })
const end = performance.now() + TRY_FOR_MS
// The sweep removes the records of a gateway once its servers have ended.
while (existsSync(join(dataDir, 'processes', `${pid}.jsonl`)) && performance.now() < end) {
  await registry.sweep()
  await delay(TRY_EVERY_MS)
}
