import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { collectGarbage } from '../../collect-garbage.case.ts'
import { AdminClient } from '../admin/admin-client.ts'
import { RunningGateway } from './running-gateway.ts'

it('stops following entries also after a garbage collection', async () => {
  const server = createServer((_, res) => res.writeHead(200).write('data: {}\n\n')).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const record = { url: `http://127.0.0.1:${port}`, pid: 1, token: 'tdx_x', version: '0.1.0', startedAt: 0 }
  const running = new RunningGateway(record, fetch, '0.1.0')
  const client = new AdminClient((request, signal) => running.send(request, signal), true)
  const stopping = new AbortController()
  const { body } = await client.open('followAudit', {}, { signal: stopping.signal })
  const reader = body?.getReader()
  expect((await reader?.read())?.done).toBe(false)
  await collectGarbage()
  stopping.abort()
  await expect(reader?.read()).rejects.toThrow('aborted')
})
