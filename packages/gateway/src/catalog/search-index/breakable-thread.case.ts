// The thread of the index, which a query can crash or hang.
import { parentPort } from 'node:worker_threads'
import type { ThreadRequest } from './thread-messages.ts'

parentPort?.on('message', (message: ThreadRequest) => {
  const query = message.kind === 'search' ? message.request.queries[0] : undefined
  if (query === 'crash') process.exit(3)
  if (query === 'fail') throw new Error('out of luck')
  while (query === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000)
})
await import('./index-thread.ts')
