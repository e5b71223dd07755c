// What goes away while the console is open: the gateway, and the right to be there.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Json } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { type ConsoleUnderTest, consoleUnderTest, signIn } from './console-kit.ts'
import { atPage, rowOf } from './steps.ts'

const LOST = 'The gateway cannot be reached.'

let tested: ConsoleUnderTest
let page: Page

beforeAll(async () => {
  const clock = fixtureServer({ tools: [textTool('tell_time', 'Tells the time.')] })
  tested = await consoleUnderTest({ mcpServers: { clock } })
}, 120_000)

afterAll(() => tested[Symbol.asyncDispose]())

it('says that the gateway is gone, and goes on by itself when it is back', { timeout: 90_000 }, async () => {
  page = (await tested.signedIn()).page
  await page.goto(`${tested.url}/console/servers`)
  await rowOf(page, 'clock').getByText('Running').waitFor()
  await tested.stopProgram()
  await page.getByText(LOST).first().waitFor()
  // What was there stays in sight.
  await rowOf(page, 'clock').waitFor()
  await tested.restart()
  await page.getByText(LOST).first().waitFor({ state: 'hidden' })
  await rowOf(page, 'clock').getByText('Running').waitFor()
  // News arrive again.
  await tested.api('POST', '/servers', { id: 'later', ...fixtureServer({ tools: [] }) })
  await rowOf(page, 'later').waitFor()
})

it('asks to sign in when the token is revoked, then shows the same place', { timeout: 60_000 }, async () => {
  const made = (await tested.api('POST', '/tokens', { name: 'guest', kind: 'admin' })) as Json
  const guest = await tested.newPage()
  await signIn(guest.page, tested.url, made['secret'])
  await guest.page.goto(`${tested.url}/console/servers/clock?tab=logs`)
  await atPage(guest.page, 'clock')
  await tested.api('DELETE', `/tokens/${made['token'].id}`)
  await guest.page.getByText('Your session has ended.').waitFor()
  await guest.page.getByLabel('Admin token').fill('tdxa_wrong')
  await guest.page.getByRole('button', { name: 'Sign in' }).click()
  await guest.page.locator('[aria-invalid="true"]').waitFor()
  await guest.page.getByLabel('Admin token').fill(tested.adminToken)
  await guest.page.getByRole('button', { name: 'Sign in' }).click()
  await atPage(guest.page, 'clock')
  await guest.page.getByRole('tab', { name: 'Logs', selected: true }).waitFor()
  expect(new URL(guest.page.url()).search).toBe('?tab=logs')
})
