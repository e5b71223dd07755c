// Trying tools, prompts and resources: nested forms, progress, cancelling, the questions of servers, and earlier calls.
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { axeFindings } from './axe.ts'
import { type ConsoleUnderTest, consoleUnderTest, type WatchedPage } from './console-kit.ts'
import { realServers } from './real-servers.ts'
import { atPage } from './steps.ts'

const PATIENT = { timeout: 60_000 }
const LONG = { timeout: 20_000 }

let tested: ConsoleUnderTest
let watched: WatchedPage

beforeAll(async () => {
  tested = await consoleUnderTest({ mcpServers: realServers() })
  const listed = async () => ((await tested.api('GET', '/tools?limit=200')) as { total: number }).total
  await vi.waitUntil(async () => (await listed()) > 15, { timeout: 60_000, interval: 200 })
  watched = await tested.signedIn()
}, 120_000)

afterAll(() => tested[Symbol.asyncDispose]())

const toolPage = async (tool: string): Promise<WatchedPage['page']> => {
  const { page } = watched
  await page.goto(`${tested.url}/console/tools/${encodeURIComponent(tool)}`)
  await atPage(page, tool)
  return page
}

it(
  'fills nested objects and lists with fields, names what is missing, and keeps the call for later',
  PATIENT,
  async () => {
    const page = await toolPage('memory:create_entities')
    await page.getByRole('button', { name: 'Add an item' }).first().click()
    // The server keeps entities in a file, and answers with new ones only.
    const name = `Ann ${Date.now()}`
    await page.getByLabel('name (required)').fill(name)
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByText('Enter a value').first().waitFor()
    await page.getByLabel('entityType (required)').fill('person')
    await page
      .getByRole('group', { name: /observations/ })
      .getByRole('button', { name: 'Add an item' })
      .click()
    await page
      .getByRole('group', { name: /observations/ })
      .getByLabel('Item 1 (required)')
      .fill('likes tea')
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByLabel('Result').getByText('likes tea').first().waitFor()
    await page.reload()
    await page.getByText('Earlier calls (1)').click()
    await page.getByRole('button', { name: 'Use again' }).click()
    await expect.poll(() => page.getByLabel('name (required)').inputValue()).toBe(name)
    expect(watched.complaints).toEqual([])
  },
)

it('shows the progress of a call, and cancels it at the server', PATIENT, async () => {
  const page = await toolPage('everything:trigger-long-running-operation')
  await page.getByLabel(/^duration/).fill('30')
  await page.getByLabel(/^steps/).fill('60')
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await page.getByText(/^\d+ of 60/).waitFor(LONG)
  await page.getByRole('button', { name: 'Cancel the call' }).click()
  await page.getByText('Cancelled.').waitFor()
  const cancelled = async () =>
    (await tested.api('GET', '/audit?kind=call&outcome=CALL_CANCELLED')) as { items: { toolKey: string }[] }
  await expect
    .poll(async () => (await cancelled()).items.map(({ toolKey }) => toolKey), LONG)
    .toEqual(['everything:trigger-long-running-operation'])
})

it('answers what the server asks a person, and what it asks a model', PATIENT, async () => {
  const page = await toolPage('everything:trigger-elicitation-request')
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await page.getByRole('heading', { name: 'The server asks you' }).waitFor(LONG)
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Decline' }).click()
  await page
    .getByText(/declined/i)
    .first()
    .waitFor(LONG)
  await toolPage('everything:trigger-sampling-request')
  await page.getByLabel(/^prompt/).fill('Say hello')
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await page.getByLabel('Answer as the model').fill('Good evening')
  await page.getByRole('button', { name: 'Send the answer' }).click()
  await expect.poll(() => page.getByLabel('Result').first().innerText(), LONG).toContain('Good evening')
})

it('refuses more JSON than the gateway takes, and keeps what was there', PATIENT, async () => {
  const page = await toolPage('everything:echo')
  await page.getByLabel('Enter arguments as').selectOption('json')
  const field = page.getByLabel('JSON', { exact: true })
  await field.fill('{"message":"short"}')
  await field.fill(`{"message":"${'x'.repeat(5_000_000)}"}`)
  await page.getByText(/at most 4 MB/).waitFor()
  await expect.poll(() => field.innerText()).toBe('{"message":"short"}')
})

it('browses and tries prompts and resources', PATIENT, async () => {
  const { page } = watched
  await page.goto(`${tested.url}/console/prompts`)
  await page.getByText('args-prompt').first().click(LONG)
  await page.getByLabel(/^city/).fill('Paris')
  await page.getByRole('button', { name: 'Get' }).click()
  await expect.poll(() => page.getByLabel('Result').first().innerText(), LONG).toContain('Paris')
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('tab', { name: 'Resources' }).click()
  await page.locator('details').first().locator('summary').click(LONG)
  await page.getByRole('button', { name: 'Read' }).first().click()
  await expect.poll(() => page.getByLabel('Result').first().innerText(), LONG).toContain('contents')
  expect(watched.complaints).toEqual([])
})
