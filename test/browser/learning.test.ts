// What searches learnt, and what the search page says about an answer.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { axeFindings } from './axe.ts'
import { type ConsoleUnderTest, consoleUnderTest } from './console-kit.ts'
import { atPage, dialogOf, rowOf, toastOf } from './steps.ts'

const NOTES = fixtureServer({
  tools: [
    textTool('find_note', 'Finds what somebody wrote down'),
    textTool('archive', 'Files old things'),
    textTool('add_note', 'Adds a note to the notebook'),
  ],
})
const TAUGHT = 'put away the letter that aunt may wrote'
const PATIENT = { timeout: 60_000 }

let tested: ConsoleUnderTest
let page: Page

const open = async (path: string, heading: string): Promise<void> => {
  await page.goto(`${tested.url}/console/${path}`)
  await atPage(page, heading)
}

beforeAll(async () => {
  tested = await consoleUnderTest({ mcpServers: { notes: NOTES } })
  await tested.api('POST', '/projects', { name: 'Writing', servers: ['notes'], strategy: 'bm25' })
  const uses = ['ann', 'ben', 'cas'].map((tokenId) => ({
    tokenId,
    toolKey: 'notes:archive',
    weight: 1,
    at: Date.now(),
  }))
  const items = [...uses.map((use) => ({ ...use, query: TAUGHT })), { ...uses[0], query: 'forget me' }]
  await tested.api('POST', '/projects/writing/learned', { items })
  page = (await tested.signedIn()).page
}, 120_000)

afterAll(() => tested[Symbol.asyncDispose]())

it('[U12] [U13] shows the verdict, the probability, and what a tool was used for', PATIENT, async () => {
  await open('search?project=writing&strategies=bm25', 'Search')
  await page.getByLabel('What should the tool do?').fill('add_note')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByText('Found', { exact: true }).waitFor()
  await page.getByText('100%', { exact: true }).waitFor()
  await page.getByLabel('What should the tool do?').fill('put away what somebody wrote')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByText(`used for "${TAUGHT}"`).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByLabel('What should the tool do?').fill('launch a rocket')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByText('No tool seems to do this', { exact: true }).waitFor()
})

it('[U13] lists what searches learnt, forgets one use, and all after a confirmation', PATIENT, async () => {
  await open('projects/writing', 'Writing')
  const learned = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Learned from use' }) })
  await rowOf(page, 'forget me').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await learned.getByRole('button', { name: 'Forget “forget me”' }).click()
  await toastOf(page, '1 use forgotten')
  await expect.poll(() => learned.getByText('forget me').count()).toBe(0)
  await expect.poll(() => learned.getByText(TAUGHT).count()).toBe(3)
  await learned.getByRole('button', { name: 'Forget all' }).click()
  const dialog = await dialogOf(page, 'Forget everything that searches learned?')
  await dialog.getByRole('button', { name: 'Forget all' }).click()
  await learned.getByText('Nothing yet.').waitFor()
  expect(await tested.api('GET', '/projects/writing/learned')).toMatchObject({ total: 0, state: 'on' })
})
