import { expect, it } from 'vitest'
import { textTool } from '../kit/fixture-server.ts'
import { gatewayWith } from '../kit/gateway.ts'
import { httpServers } from '../kit/http-servers.ts'

it('answers 300 calls at once to a server that takes eight at a time', async () => {
  await using servers = await httpServers({ s: [textTool('one', 'The first')] })
  await using gateway = await gatewayWith({
    servers: servers.entries({ limits: { maxConcurrentCalls: 8 } }),
    endpoints: { default: { exposure: 'full' } },
    tokens: { a: {}, b: {} },
  })
  const clients = await Promise.all(['a', 'b'].map((token) => gateway.newClient('modern', undefined, token)))
  const results = await Promise.all(
    Array.from(
      { length: 300 },
      (_, at) => clients[at % 2]?.call('s__one', {}) ?? Promise.reject(new Error('no client')),
    ),
  )
  expect(results.filter((result) => 'isError' in result && result['isError'] === true)).toEqual([])
  expect(results).toHaveLength(300)
}, 60_000)
