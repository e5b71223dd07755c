import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  Browser,
  type LoginWorld,
  startLoginWorld,
} from '../../packages/gateway/src/servers/fixtures/authorization-server.case.ts'
import { connect, type Json } from '../kit/clients.ts'
import { until } from '../kit/gateway.ts'
import { Machine, type RunningProgram } from '../kit/program.ts'

describe('a server that requires a login', { timeout: 60_000 }, () => {
  let machine: Machine
  let world: LoginWorld
  let gateway: RunningProgram
  let adminToken = ''
  let secret = ''

  const api = async (method: string, path: string, body?: object): Promise<Json> => {
    const response = await fetch(`${gateway.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return response.status === 204 ? {} : ((await response.json()) as Json)
  }
  const stateOf = async (): Promise<unknown> => (await api('GET', '/servers/bank'))['status']?.state
  const callEcho = async (): Promise<string> => {
    const client = await connect('modern', gateway.url, secret, 'meta')
    const answer = await client.call('tool_execute', { toolKey: 'bank:echo', arguments: { n: 1 } })
    await client.close()
    return JSON.stringify(answer)
  }

  beforeAll(async () => {
    world = await startLoginWorld()
    machine = new Machine()
    gateway = await machine.serve()
    adminToken = /tdxa_[\w-]+/.exec(gateway.out)?.[0] ?? ''
    await api('POST', '/servers', { id: 'bank', url: world.mcpUrl })
    await api('POST', '/projects', { id: 'money', servers: ['bank'] })
    await api('POST', '/endpoints', { id: 'meta', project: 'money', exposure: 'meta-tools' })
    secret = String((await api('POST', '/tokens', { name: 'clerk', projects: ['money'] }))['secret'])
    await until(async () => (await stateOf()) === 'needs-login')
  }, 60_000)

  afterAll(async () => {
    await machine[Symbol.asyncDispose]()
    await world.close()
  })

  it('[R37] reports it to its administrator, and works after the login', async () => {
    const { loginUrl } = await api('POST', '/servers/bank/login')
    expect(String(loginUrl)).toMatch(new RegExp(`^${gateway.url}/oauth/login\\?`))
    const browser = new Browser()
    const back = await browser.openLink(String(loginUrl))
    expect(back.origin).toBe(gateway.url)
    expect((await fetch(back)).status).toBe(400)
    const page = await browser.fetch(back)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    await until(async () => (await stateOf()) === 'running')
    // Its tools are listed a moment later.
    await expect.poll(callEcho).toContain('{\\"n\\":1}')
  })

  it('keeps the login across a restart', async () => {
    await gateway.stop()
    gateway = await machine.serve()
    await until(async () => (await stateOf()) === 'running')
    // Its tools are listed a moment later.
    await expect.poll(callEcho).toContain('{\\"n\\":1}')
  })

  it('[R37] tells a caller that an administrator must log in, and gives the link to no other caller', async () => {
    world.refusesRefresh = true
    world.valid.clear()
    // The call that meets the refusal, and one to the server in its new state.
    for (const answer of [await callEcho(), await callEcho()]) {
      expect(answer).toContain('SERVER_NEEDS_LOGIN')
      expect(answer).toContain('tooldex server login bank')
      expect(answer).not.toMatch(/https?:|authorize|oauth\/login/)
    }
    const { status } = await api('GET', '/servers/bank')
    expect(status.loginUrl).toContain('/oauth/login?login=')
  })

  it('writes tokens to no file, no output and no audit entry', async () => {
    const files = readdirSync(machine.dataDir, { recursive: true, withFileTypes: true })
    const kept = files
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name)).toString('latin1'))
    const audit = JSON.stringify(await api('GET', '/audit'))
    expect(kept.length).toBeGreaterThan(0)
    expect(world.tokenRequests.length).toBeGreaterThan(0)
    const everything = [...kept, audit, gateway.out, gateway.err].join('\n')
    expect(everything).not.toMatch(/access-[0-9a-f]{8}|refresh-[0-9a-f]{8}/)
  })
})
