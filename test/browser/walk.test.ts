// The path of a new user: from an empty gateway to an agent that searches and calls.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connect, type Json, type TestClient, textOf } from '../kit/clients.ts'
import { type ConsoleUnderTest, consoleUnderTest, type WatchedPage } from './console-kit.ts'
import { realServers } from './real-servers.ts'
import { atPage, dialogOf, goTo, rowOf } from './steps.ts'

const PASTED = JSON.stringify({ mcpServers: { everything: realServers()['everything'] } }, null, 2)

let tested: ConsoleUnderTest
let watched: WatchedPage
let page: Page
let secret = ''
let agent: TestClient | undefined

const project = async (): Promise<Json> => (await tested.api('GET', '/projects/research')) as Json
const itemsOf = async (path: string): Promise<Json[]> => ((await tested.api('GET', path)) as Json)['items']

beforeAll(async () => {
  tested = await consoleUnderTest()
  watched = await tested.newPage()
  page = watched.page
}, 120_000)

afterAll(async () => {
  await agent?.close()
  await tested[Symbol.asyncDispose]()
})

it('signs in with a link that works once', { timeout: 60_000 }, async () => {
  const { code } = (await tested.api('POST', '/session/codes')) as { code: string }
  await page.goto(`${tested.url}/#signin=${code}`)
  await atPage(page, 'Home')
  expect(page.url()).not.toContain(code)
  const other = await tested.newPage()
  await other.page.goto(`${tested.url}/#signin=${code}`)
  await other.page.getByText('This link has expired or was already used.').waitFor()
})

it('shows the first steps on an empty gateway', { timeout: 60_000 }, async () => {
  await page.getByRole('heading', { name: 'Get started' }).waitFor()
  await page.getByRole('link', { name: /^Add a server/ }).click()
  await dialogOf(page, 'Add a server')
  expect(watched.complaints).toEqual([])
})

it('adds a pasted server after a preview, and starts nothing before', { timeout: 60_000 }, async () => {
  const dialog = await dialogOf(page, 'Add a server')
  await dialog.getByLabel('Configuration of a client').fill(PASTED)
  await dialog.getByRole('button', { name: 'Check' }).click()
  await dialog.getByRole('heading', { name: 'Preview' }).waitFor()
  await dialog.getByText('server-everything', { exact: false }).last().waitFor()
  expect(await itemsOf('/servers')).toEqual([])
  await dialog.getByRole('button', { name: 'Add and start 1 server' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await rowOf(page, 'everything').getByText('Running').waitFor()
})

it('shows the tools of the server', { timeout: 60_000 }, async () => {
  await page.getByRole('link', { name: 'everything', exact: true }).click()
  await atPage(page, 'everything')
  await page.getByRole('link', { name: 'echo', exact: true }).waitFor()
  await goTo(page, 'Tools')
  await page.getByRole('link', { name: 'echo', exact: true }).waitFor()
  expect(watched.complaints).toEqual([])
})

it('creates a project with the server', { timeout: 60_000 }, async () => {
  await goTo(page, 'Projects')
  await page.getByRole('button', { name: 'New project' }).click()
  const dialog = await dialogOf(page, 'New project')
  await dialog.getByLabel('Name').fill('Research')
  await dialog.getByRole('checkbox', { name: 'everything' }).click()
  await dialog.getByRole('button', { name: 'New project' }).click()
  await atPage(page, 'Research')
  expect(await project()).toMatchObject({ id: 'research', servers: ['everything'] })
})

it('[R28] turns Context Optimization off and on behind the gear, and chooses a strategy', {
  timeout: 60_000,
}, async () => {
  await goTo(page, 'Projects')
  const open = async () => {
    await page.getByRole('button', { name: 'Research settings' }).click()
    return (await dialogOf(page, 'Research settings')).getByRole('group', { name: 'Context Optimization' })
  }
  const save = async () => {
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog', { name: 'Research settings' }).waitFor({ state: 'hidden' })
  }
  const off = await open()
  await off.getByRole('switch', { name: 'Tool search' }).click()
  expect(await off.getByLabel('Strategy').count()).toBe(0)
  await save()
  expect(await project()).toMatchObject({ optimization: null, config: { strategy: null } })
  await rowOf(page, 'Research').getByText('off').waitFor()

  const on = await open()
  await on.getByRole('switch', { name: 'Tool search' }).click()
  await on.getByLabel('Strategy').selectOption('bm25')
  await on.getByLabel('Exposure').selectOption('meta-tools')
  const preview = page.getByRole('region', { name: 'Agent preview' })
  await preview.getByText('Tools listed: 2').first().waitFor()
  expect(await project()).toMatchObject({ optimization: null })
  await save()
  expect(await project()).toMatchObject({ optimization: 'bm25', config: { strategy: 'bm25', exposure: 'meta-tools' } })
  await rowOf(page, 'Research').getByText('bm25').waitFor()
})

it('creates an endpoint, and shows how to connect', { timeout: 60_000 }, async () => {
  await goTo(page, 'Endpoints')
  await page.getByRole('button', { name: 'New endpoint' }).click()
  const dialog = await dialogOf(page, 'New endpoint')
  await dialog.getByLabel('ID').fill('research')
  await dialog.getByLabel('Project').selectOption('research')
  await dialog.getByRole('button', { name: 'New endpoint' }).click()
  await atPage(page, 'research')
  await page.getByText(`${tested.url}/research/mcp`).first().waitFor()
  expect(await tested.api('GET', '/endpoints/research')).toMatchObject({ id: 'research', project: 'research' })
})

it('creates a token and shows its secret once', { timeout: 60_000 }, async () => {
  await goTo(page, 'Tokens')
  await page.getByRole('button', { name: 'New token' }).click()
  const dialog = await dialogOf(page, 'New token')
  await dialog.getByLabel('Name').fill('laptop')
  await dialog.getByRole('button', { name: 'New token' }).click()
  const made = await dialogOf(page, 'Copy the token now')
  secret = (await made.getByLabel('Secret', { exact: true }).innerText()).trim()
  expect(secret).toMatch(/^tdx_/)
  await made.getByLabel('Endpoint').selectOption('research')
  const line = made.locator('pre').filter({ hasText: `${tested.url}/research/mcp` })
  await line.waitFor()
  await expect.poll(() => line.innerText()).toContain(`Bearer ${secret}`)
  await made.getByRole('button', { name: 'I have copied it' }).click()
  await rowOf(page, 'laptop').waitFor()
  expect(await page.content()).not.toContain(secret)
})

it('shows changes, and searches and calls of a real client live', { timeout: 60_000 }, async () => {
  await goTo(page, 'Audit')
  await page.getByRole('button', { name: 'Change added token laptop' }).waitFor()
  agent = await connect('modern', tested.url, secret, 'research')
  expect((await agent.listTools()).map(({ name }) => name)).toEqual(['tool_discovery', 'tool_execute'])
  const found = await agent.call('tool_discovery', { query: ['say back what I said'] })
  expect(textOf(found)).toContain('everything:echo')
  await page.getByRole('button', { name: /^Search say back what I said · \d+ found/ }).waitFor()
  const answer = await agent.call('tool_execute', { toolKey: 'everything:echo', arguments: { message: 'hello' } })
  expect(textOf(answer)).toContain('hello')
  await page.getByRole('button', { name: /^Call everything:echo/ }).click()
  const entry = await dialogOf(page, /^Call/)
  await entry.getByText('Research', { exact: true }).waitFor()
  await entry.getByText('laptop', { exact: true }).waitFor()
  await entry.getByRole('button', { name: 'Close' }).click()
})

it('hides the first steps when they are done', { timeout: 60_000 }, async () => {
  await goTo(page, 'Home')
  await page.getByRole('heading', { name: 'Last 24 hours' }).waitFor()
  await page.getByRole('heading', { name: 'Get started' }).waitFor({ state: 'hidden' })
  expect(watched.complaints).toEqual([])
})

it('counts the loaded list in the savings', { timeout: 60_000 }, async () => {
  await goTo(page, 'Savings')
  const clients = page.getByRole('region', { name: 'By client' })
  const row = clients.getByRole('row').filter({ hasText: 'acceptance' })
  await row.getByRole('cell', { name: 'laptop', exact: true }).waitFor()
  await row.getByText('Research', { exact: true }).waitFor()
  await expect.poll(() => row.getByRole('cell').nth(3).innerText()).toBe('1')
  expect(watched.complaints).toEqual([])
})
