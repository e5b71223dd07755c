// The service alone in its process: reports its URL, and on request its resource use; ends with its parent.
import { createHash } from 'node:crypto'
import { listenSearchApi } from '../src/index.ts'

const secret = process.env['BENCH_SECRET'] ?? ''
const tokens = [{ sha256: createHash('sha256').update(secret).digest('hex'), project: '*' }]
const api = await listenSearchApi({ port: 0, tokens })
process.send?.(api.url)
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.((user + system) / 1_000)
})
process.once('disconnect', () => process.exit(0))
