import { adminRoutes, SECRET_MASK } from '@tooldex/contract/admin'
import { expect, it } from 'vitest'
import { draftOf, NEW_SERVER, newServerOf, patchOf } from './server-draft.ts'

it('makes bodies that the contract accepts, for programs and for URLs', () => {
  const program = newServerOf({
    ...NEW_SERVER,
    id: 'memory',
    command: 'npx -y server-memory',
    env: 'KEY=a=b\n\nOTHER=1',
  })
  expect(adminRoutes.createServer.body.parse(program)).toMatchObject({
    id: 'memory',
    command: 'npx',
    args: ['-y', 'server-memory'],
    env: { KEY: 'a=b', OTHER: '1' },
  })
  const address = newServerOf({
    ...NEW_SERVER,
    id: 'web',
    transport: 'sse',
    url: 'https://mcp.example/sse',
    headers: 'X-Key: a:b',
  })
  expect(adminRoutes.createServer.body.parse(address)).toMatchObject({
    type: 'sse',
    url: 'https://mcp.example/sse',
    headers: { 'X-Key': 'a:b' },
  })
})

it('sends masked secrets back unchanged, so that they are kept', () => {
  const args = ['--token', SECRET_MASK, '--header', `Authorization: ${SECRET_MASK}`, `postgres://${SECRET_MASK}@h`]
  const config = { command: 'npx', args, env: { KEY: SECRET_MASK }, start: 'eager' } as never
  const draft = draftOf({ id: 'memory', transport: 'stdio', config } as never)
  expect(patchOf(draft)).toMatchObject({ args, env: { KEY: SECRET_MASK } })
})
