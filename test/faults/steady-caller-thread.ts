/** The thread of a `SteadyCaller`. */
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { MinimalClient } from '../../bench/minimal-client.ts'

const PAUSE_MS = 2

const { url, tool } = workerData as { readonly url: string; readonly tool: string }
const client = await new MinimalClient(url).connect()
let taken: number[] = []
parentPort?.on('message', () => {
  parentPort?.postMessage(taken)
  taken = []
})
parentPort?.postMessage('ready')
for (;;) {
  const since = performance.now()
  await client.call(tool, { value: 'here' })
  taken.push(performance.now() - since)
  await delay(PAUSE_MS)
}
