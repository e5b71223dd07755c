// More than a person reads: a thousand projects, megabytes pasted, megabytes answered.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type ConsoleUnderTest, consoleUnderTest, type WatchedPage } from './console-kit.ts'
import { atPage, dialogOf } from './steps.ts'

const PATIENT = { timeout: 60_000 }
const RESULT_CHARACTERS = 10_000_000
const PROJECTS = 1_000

let tested: ConsoleUnderTest
let watched: WatchedPage

beforeAll(async () => {
  const script = fileURLToPath(new URL('./large-result-server.mjs', import.meta.url))
  const printer = { command: process.execPath, args: [script, String(RESULT_CHARACTERS)] }
  const names = Array.from({ length: PROJECTS - 1 }, (_, at) => `team-${at + 1}`)
  tested = await consoleUnderTest({
    mcpServers: { printer },
    projects: Object.fromEntries(names.map((id) => [id, { name: `Team of ${id}`, servers: ['printer'] }])),
  })
  await vi.waitFor(() => tested.api('GET', '/tools/printer:print'), { timeout: 30_000, interval: 200 })
  watched = await tested.signedIn()
}, 120_000)

afterAll(() => tested[Symbol.asyncDispose]())

it('shows a thousand projects with few rendered rows, and finds one', PATIENT, async () => {
  const { page, complaints } = watched
  await page.goto(`${tested.url}/console/projects`)
  await atPage(page, 'Projects')
  await page.getByRole('row').nth(5).waitFor()
  expect(await page.getByRole('row').count()).toBeLessThan(100)
  await page.getByRole('searchbox', { name: 'Find in Projects' }).fill('team-777')
  await page.getByRole('link', { name: 'Team of team-777' }).click()
  await atPage(page, 'Team of team-777')
  expect(complaints).toEqual([])
})

it('shows the beginning of a result of ten megabytes, and saves all of it', PATIENT, async () => {
  const { page, complaints } = watched
  await page.goto(`${tested.url}/console/tools/printer%3Aprint`)
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await page.getByText('The first 100,000 of 10,000,000 characters.').waitFor()
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save everything' }).click()
  expect((await readFile(await (await saving).path())).length).toBe(RESULT_CHARACTERS)
  expect(complaints).toEqual([])
})

it('tells that a pasted configuration of five megabytes is too large, and keeps what was there', PATIENT, async () => {
  const { page, complaints } = watched
  await page.goto(`${tested.url}/console/servers?add=1`)
  const dialog = await dialogOf(page, 'Add a server')
  const field = dialog.getByLabel('Configuration of a client')
  await field.fill('{"mcpServers":{}}')
  await field.fill(`{"mcpServers":{"long":{"command":"${'x'.repeat(5_000_000)}"}}}`)
  await dialog.getByText(/at most 4 MB/).waitFor()
  await expect.poll(() => field.innerText()).toBe('{"mcpServers":{}}')
  expect(complaints).toEqual([])
})
