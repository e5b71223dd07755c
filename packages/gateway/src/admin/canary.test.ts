import { type AdminRoute, type AdminRouteId, adminRoutes, isMediaTypes } from '@tooldex/contract/admin'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashToken } from '../access/tokens.ts'
import { type AdminKit, adminKit } from './admin-kit.case.ts'

/** Used for every secret. */
const CANARY = 'canary-5b1f0e'
const FILE = {
  mcpServers: {
    filed: { command: 'filed', env: { KEY: `${CANARY}-file-env` } },
    web: { url: `https://u:${CANARY}-pass@mcp.example.org/?k=${CANARY}-query`, headers: { A: `${CANARY}-header` } },
  },
  registries: [],
  tokens: [{ name: 'filed', value: `${CANARY}-file-token` }],
}

const ARGUMENTS = [
  ...[`--api-key=${CANARY}-arg`, '--token', `${CANARY}-after`, '-e', `NAME=${CANARY}-variable`],
  ...['--header', `Authorization: Bearer ${CANARY}-bearer`, `postgres://u:${CANARY}-database@h/db`],
]

let kit: AdminKit
let tokenId: string
const secrets: string[] = []
beforeAll(async () => {
  kit = await adminKit({ file: FILE })
  await kit.ask('createServer', {
    body: { id: 'notes', command: 'notes', args: ARGUMENTS, env: { KEY: `${CANARY}-env` } },
  })
  await kit.ask('createServer', {
    body: { id: 'far', url: `https://far.example.org/mcp?key=${CANARY}-url`, headers: { X: `${CANARY}-x` } },
  })
  const auth = { type: 'client-credentials', clientId: 'id', clientSecret: `${CANARY}-auth` }
  await kit.ask('createServer', { body: { id: 'cc', url: 'https://cc.example.org/mcp', auth } })
  await kit.ask('createProject', { body: { id: 'work', servers: ['notes', 'far'] } })
  for (const kind of ['client', 'admin'] as const) {
    const made = await kit.ask('createToken', { body: { name: `my ${kind}`, kind } })
    secrets.push(made.secret, hashToken(made.secret))
    tokenId = made.token.id
  }
  await kit.offer('notes', [{ name: 'add' }])
})
afterAll(() => kit.stop())

const PARAMS = () => ({ server: 'notes', tool: 'notes:add', project: 'work', endpoint: 'default', token: tokenId })
/** Answers about the files of a person, which test/e2e/this-machine.test.ts has. */
const OF_THIS_MACHINE: AdminRouteId = 'findServers'
const reading = (Object.entries(adminRoutes) as [AdminRouteId, AdminRoute][])
  .filter(([, { method, responses }]) => method === 'GET' && !(isMediaTypes(responses[200] ?? null) && responses[200]))
  .map(([id]) => id)
  .filter((id) => id !== OF_THIS_MACHINE)

describe('secrets', () => {
  it.each([...reading, 'exportAudit'] as AdminRouteId[])('are in no answer of %s', async (id) => {
    const query = id === 'explainToken' ? { tool: 'notes:add' } : id === 'searchRegistry' ? { search: 'notes' } : {}
    const response = await kit.send(id, { params: PARAMS(), query: query as never })
    const text = await response.text()
    expect(response.status, text).toBe(200)
    expect(text).not.toContain(CANARY)
    // An export has the hashes of client tokens, so that they stay valid, and none of admin tokens.
    const hidden = id === 'exportAll' ? [secrets[0], secrets[2], secrets[3]] : secrets
    for (const secret of hidden) expect(text).not.toContain(secret)
  })

  it('are in no answer to a change, no problem and no log', async () => {
    const params = { server: 'notes' }
    const answers = [
      await kit.send('changeServer', { params, body: { name: 'Notes' } }),
      await kit.send('changeServer', { params: { server: 'far' }, body: { headers: { X: `${CANARY}-new` } } }),
      await kit.send('changeServer', { params, body: { env: { KEY: 7, OTHER: `${CANARY}-bad` } } }),
      await kit.send('createServer', {
        body: { id: 'x', command: 'x', env: { [CANARY.slice(7)]: [`${CANARY}-list`] } },
      }),
      await kit.send('createServer', { body: { id: 'y', url: `not a url ${CANARY}` } }),
      await kit.send('createToken', { body: { name: 'a', [`${CANARY}`.slice(7)]: CANARY } }),
      await kit.send('signIn', { body: { token: `${CANARY}-token` } }),
      await kit.send('disableServer', { params }),
      await kit.send('importAll', { body: { mcpServers: { z: { command: 'z', env: { A: CANARY, B: 7 } } } } }),
    ]
    for (const answer of answers) expect(await answer.text()).not.toContain(CANARY)
    expect(kit.logged.join()).not.toContain(CANARY)
    for (const secret of secrets) expect(kit.logged.join()).not.toContain(secret)
  })

  it('are in an export only if the request asks for them', async () => {
    const exported = JSON.stringify(await kit.ask('exportAll', { query: { secrets: 'true' } }))
    for (const part of ['file-env', 'header', 'pass', 'query', 'env', 'arg', 'after', 'bearer', 'database', 'auth'])
      expect(exported).toContain(`${CANARY}-${part}`)
  })
})
