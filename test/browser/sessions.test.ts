// The session of the console: its second secret, other tabs, other ports, and the fresh proof for programs.

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConsoleUnderTest, consoleUnderTest, signIn } from './console-kit.ts'
import { atPage, contentLoaded, dialogOf, goTo } from './steps.ts'

const SLOW = { timeout: 60_000 }

let tested: ConsoleUnderTest
beforeAll(async () => {
  tested = await consoleUnderTest()
}, 120_000)
afterAll(() => tested[Symbol.asyncDispose](), 30_000)

it('is shared by the tabs of the console: a new one is signed in, and signing out ends all', SLOW, async () => {
  const { page, context, complaints } = await tested.signedIn()
  const other = await context.newPage()
  await other.goto(`${tested.url}/`)
  await atPage(other, 'Home')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.locator('input[name=token]').waitFor()
  await other.locator('input[name=token]').waitFor()
  await signIn(page, tested.url, tested.adminToken)
  await atPage(other, 'Home')
  expect(complaints).toEqual([])
})

it('is of no use to a page on another port, which receives its cookie', SLOW, async () => {
  const { page } = await tested.signedIn()
  const received: IncomingHttpHeaders[] = []
  const thief = createServer((req, res) => {
    received.push(req.headers)
    res.setHeader('content-type', 'text/html').end('<title>Other port</title>')
  }).listen(0, '127.0.0.1')
  await once(thief, 'listening')
  try {
    await page.goto(`http://127.0.0.1:${(thief.address() as AddressInfo).port}/api/v1/page`)
    const stolen = received.find(({ cookie }) => cookie?.includes('tooldex_session'))?.cookie ?? ''
    expect(stolen).toMatch(/tooldex_session=[\w-]+\.[\w-]+/)
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([])
    const replay = (method: string, path: string, headers: Record<string, string> = {}) =>
      fetch(`${tested.url}/api/v1${path}`, {
        method,
        headers: { cookie: stolen, origin: tested.url, 'content-type': 'application/json', ...headers },
        ...(method === 'POST' && { body: JSON.stringify({ name: 'thief', kind: 'admin' }) }),
      })
    for (const secret of [{}, { 'x-tooldex-console': '1' }, { 'x-tooldex-console': 'a'.repeat(43) }]) {
      expect((await replay('GET', '/session', secret)).status).toBe(401)
      expect([401, 403]).toContain((await replay('POST', '/tokens', secret)).status)
    }
    expect(JSON.stringify(await tested.api('GET', '/tokens'))).not.toContain('thief')
  } finally {
    thief.close()
  }
})

it('asks for nothing before signing in, so that the audit shows no refused token', SLOW, async () => {
  const { page, complaints } = await tested.newPage()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.goto(`${tested.url}/console/audit`)
  await page.locator('input[name=token]').waitFor()
  expect(asked.filter((path) => path.startsWith('/api/'))).toEqual([])
  expect(complaints).toEqual([])
})

it('saves exports, which need the second secret as well', SLOW, async () => {
  const { page, complaints } = await tested.signedIn()
  await goTo(page, 'Audit')
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export JSONL' }).click()
  expect((await saving).suggestedFilename()).toBe('audit.jsonl')
  expect(complaints).toEqual([])
})

it('asks for the admin token before a program is added, and keeps what was typed', SLOW, async () => {
  const { page, complaints } = await tested.signedIn()
  let refusals = 0
  // As the gateway answers five minutes after the sign-in.
  await page.route('**/api/v1/servers', async (route) => {
    if (route.request().method() !== 'POST' || refusals > 0) return route.continue()
    refusals += 1
    const problem = {
      type: 'about:blank',
      title: 'This needs a fresh proof',
      status: 403,
      code: 'FRESH_PROOF_REQUIRED',
    }
    return route.fulfill({ status: 403, contentType: 'application/problem+json', body: JSON.stringify(problem) })
  })
  await goTo(page, 'Servers')
  await contentLoaded(page)
  await page.getByRole('button', { name: 'Add server' }).first().click()
  const adding = await dialogOf(page, 'Add a server')
  await adding.getByRole('tab').last().click()
  await adding.getByLabel('ID').fill('proven')
  await adding.getByLabel('Command').fill('true')
  await adding.getByRole('button', { name: 'Add and start 1 server' }).click()
  const asking = await dialogOf(page, 'Confirm that it is you')
  await asking.getByLabel('Admin token').fill('tdxa_wrong')
  await asking.getByRole('button', { name: 'Confirm' }).click()
  await asking.getByText(/not an admin token/).waitFor()
  await asking.getByLabel('Admin token').fill(tested.adminToken)
  await asking.getByRole('button', { name: 'Confirm' }).click()
  await asking.waitFor({ state: 'hidden' })
  await adding.waitFor({ state: 'hidden' })
  expect(JSON.stringify(await tested.api('GET', '/servers'))).toContain('"proven"')
  expect(refusals).toBe(1)
  expect(complaints).toEqual([])
})
