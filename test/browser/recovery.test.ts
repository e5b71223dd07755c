// The console when the gateway stops, and when its session ends.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Json } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { type ConsoleUnderTest, consoleUnderTest, signIn } from './console-kit.ts'
import { atPage, goTo, rowOf } from './steps.ts'

const LOST = 'The gateway cannot be reached.'

let tested: ConsoleUnderTest
let page: Page

beforeAll(async () => {
  const clock = fixtureServer({ tools: [textTool('tell_time', 'Tells the time.')] })
  tested = await consoleUnderTest({ mcpServers: { clock } })
}, 120_000)

afterAll(() => tested[Symbol.asyncDispose]())

it('shows that the gateway cannot be reached, and reconnects by itself', { timeout: 90_000 }, async () => {
  page = (await tested.signedIn()).page
  await page.goto(`${tested.url}/console/servers`)
  await rowOf(page, 'clock').getByText('Running').waitFor()
  await tested.stopProgram()
  await page.getByText(LOST).first().waitFor()
  // The loaded rows stay visible.
  await rowOf(page, 'clock').waitFor()
  await tested.restart()
  await page.getByText(LOST).first().waitFor({ state: 'hidden' })
  await rowOf(page, 'clock').getByText('Running').waitFor()
  // New events arrive again.
  await tested.api('POST', '/servers', { id: 'later', ...fixtureServer({ tools: [] }) })
  await rowOf(page, 'later').waitFor()
  expect(await page.getByText(LOST).count()).toBe(0)
})

it('opens a page that was never opened while the gateway is away, and one that could not be loaded when it is back', {
  timeout: 90_000,
}, async () => {
  const { page: visitor, context } = await tested.newPage()
  const isSavings = (url: URL): boolean => /\/savings-page[^/]*\.js$/.test(url.pathname)
  await context.route(isSavings, (route) => route.abort())
  const preloaded = visitor.waitForResponse((response) => /\/settings-page[^/]*\.js$/.test(response.url()))
  await signIn(visitor, tested.url, tested.adminToken)
  await preloaded
  await tested.stopProgram()
  await goTo(visitor, 'Tokens')
  await visitor.getByRole('navigation').getByRole('link', { name: 'Savings' }).click()
  await atPage(visitor, 'Waiting for the gateway')
  await context.unroute(isSavings)
  await tested.restart()
  await atPage(visitor, 'Savings')
  expect(new URL(visitor.url()).pathname).toBe('/console/savings')
})

it('is in English where the texts of another language cannot be loaded', { timeout: 60_000 }, async () => {
  const { page: visitor, context } = await tested.newPage({ language: 'ja-JP' })
  await context.route(/\/ja-[^/]*\.js$/, (route) => route.abort())
  await signIn(visitor, tested.url, tested.adminToken)
  await atPage(visitor, 'Home')
  await expect.poll(() => visitor.getByRole('navigation').first().innerText()).toContain('Servers')
})

const ENDED = 'Your session has ended.'

async function signInAgain(guest: Page): Promise<void> {
  await guest.getByLabel('Admin token').fill(tested.adminToken)
  await guest.getByRole('button', { name: 'Sign in' }).click()
}

/** A page that is signed in with its own token, at a path of the console. */
async function guestAt(path: string, token: object): Promise<{ page: Page; tokenId: string }> {
  const made = (await tested.api('POST', '/tokens', { kind: 'admin', ...token })) as Json
  const guest = await tested.newPage()
  await signIn(guest.page, tested.url, made['secret'])
  await guest.page.goto(`${tested.url}/console/${path}`)
  return { page: guest.page, tokenId: made['token'].id }
}

it('asks to sign in when the token is revoked, then shows the same page', { timeout: 60_000 }, async () => {
  const guest = await guestAt('servers/clock?tab=logs', { name: 'guest' })
  await atPage(guest.page, 'clock')
  await tested.api('DELETE', `/tokens/${guest.tokenId}`)
  await guest.page.getByText(ENDED).waitFor()
  await guest.page.getByLabel('Admin token').fill('tdxa_wrong')
  await guest.page.getByRole('button', { name: 'Sign in' }).click()
  await guest.page.locator('[aria-invalid="true"]').waitFor()
  await signInAgain(guest.page)
  await atPage(guest.page, 'clock')
  await guest.page.getByRole('tab', { name: 'Logs', selected: true }).waitFor()
  expect(new URL(guest.page.url()).search).toBe('?tab=logs')
})

it('asks to sign in when the token expires, then keeps the filters and the live view', {
  timeout: 60_000,
}, async () => {
  const guest = await guestAt('audit?kind=call&outcome=ok', { name: 'passing' })
  await atPage(guest.page, 'Audit')
  await tested.api('PATCH', `/tokens/${guest.tokenId}`, { expiresAt: Date.now() + 3_000 })
  // No interaction here: the page detects the expiry when its stream ends.
  await guest.page.getByText(ENDED).waitFor()
  await signInAgain(guest.page)
  await atPage(guest.page, 'Audit')
  expect(new URL(guest.page.url()).search).toBe('?kind=call&outcome=ok')
  await expect.poll(() => guest.page.getByLabel('Type').inputValue()).toBe('call')
  await tested.api('POST', '/tools/clock:tell_time/call', { project: 'default', arguments: {} })
  await guest.page.getByRole('button', { name: 'Call clock:tell_time' }).waitFor()
})
