// What agents do, as an administrator sees it: Home, the audit log, sessions, and searches that failed.
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { connect, type Json } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { axeFindings } from './axe.ts'
import { type ConsoleUnderTest, consoleUnderTest, type WatchedPage } from './console-kit.ts'
import { atPage, countClicks, dialogOf, toastOf } from './steps.ts'

const PATIENT = { timeout: 60_000 }
const LONG = { timeout: 20_000 }
const TOOLS = ['read_note', 'archive_note', 'count_notes'].map((name) => textTool(name, `${name} of the notebook`))

let tested: ConsoleUnderTest
let watched: WatchedPage

beforeAll(async () => {
  tested = await consoleUnderTest()
  await tested.api('POST', '/servers', { id: 'notes', ...fixtureServer({ tools: TOOLS }) })
  await tested.api('POST', '/projects', {
    ...{ name: 'My notes', servers: ['notes'], exposure: 'meta-tools', strategy: 'bm25' },
  })
  await tested.api('POST', '/endpoints', { id: 'notes', project: 'my-notes' })
  await tested.api('PATCH', '/projects/my-notes/tools/notes:count_notes', { allowed: false })
  const listed = async () => ((await tested.api('GET', '/tools?server=notes')) as { total: number }).total
  await vi.waitUntil(async () => (await listed()) === 3, LONG)
  const { secret } = (await tested.api('POST', '/tokens', { name: 'laptop' })) as Json
  const agent = await connect('modern', tested.url, String(secret), 'notes', { name: 'note-taker' })
  await agent.call('tool_discovery', { query: ['read note'] })
  for (let time = 0; time < 20; time++) await agent.call('tool_execute', { toolKey: 'notes:read_note', arguments: {} })
  await agent.call('tool_execute', { toolKey: 'notes:count_notes', arguments: {} })
  await agent.call('tool_discovery', { query: ['zebra'] })
  await agent.close()
  watched = await tested.signedIn()
}, 120_000)

afterAll(() => tested[Symbol.asyncDispose]())

it('Home names the share of failures and leads to them, and on to their remedy, with two clicks', PATIENT, async () => {
  const { page, complaints } = watched
  await page.goto(`${tested.url}/console/`)
  await page.getByText(/% of requests failed in the last hour/).click(LONG)
  await atPage(page, 'Audit')
  expect(new URL(page.url()).search).toBe('?range=hour&outcome=error')
  const failed = page.getByRole('row').filter({ hasText: 'notes:count_notes' })
  await failed.getByText('note-taker').last().waitFor()
  const clicks = await countClicks(page)
  await failed.getByRole('link', { name: 'Explain access' }).click()
  await atPage(page, 'laptop')
  await page.getByRole('link', { name: 'Allow it in the project' }).first().click()
  await atPage(page, 'notes:count_notes')
  expect(await clicks()).toBe(2)
  expect(complaints).toEqual([])
})

it('opens the audit of the last hour, with who called what, with one click', PATIENT, async () => {
  const { page } = watched
  await page.goto(`${tested.url}/console/`)
  const clicks = await countClicks(page)
  await page.getByRole('link', { name: 'Audit of the last hour' }).click()
  await atPage(page, 'Audit')
  expect(new URL(page.url()).search).toBe('?range=hour')
  const called = page.getByRole('row').filter({ hasText: 'notes:read_note' }).first()
  await called.getByText('note-taker').last().waitFor()
  expect(await clicks()).toBe(1)
})

it.each([-3, 3])(
  'counts times from the clock of the gateway in a browser that is %d hours off',
  PATIENT,
  async (off) => {
    const { page, context } = await tested.signedIn()
    await page.addInitScript((ms) => {
      const now = Date.now
      Date.now = () => now() + ms
    }, off * 3_600_000)
    await page.goto(`${tested.url}/console/audit?range=hour&tool=notes:count_notes`)
    const row = page.getByRole('row').filter({ hasText: 'notes:count_notes' }).first()
    await expect.poll(() => row.locator('time').innerText()).toMatch(/^(?:just now|\d+ (?:s|min) ago)$/)
    await context.close()
  },
)

it('opens the hour of a bar, by pointer and by keyboard', PATIENT, async () => {
  const { page } = watched
  await page.goto(`${tested.url}/console/`)
  const over = page.locator('.u-over')
  await over.waitFor()
  const box = await over.boundingBox()
  if (box === null) throw new Error('The chart has no size')
  await page.mouse.click(box.x + box.width - 6, box.y + box.height / 2)
  await atPage(page, 'Audit')
  const byPointer = new URL(page.url()).searchParams
  expect(Date.parse(byPointer.get('until') ?? '') - Date.parse(byPointer.get('from') ?? '')).toBe(3_600_000)
  await page.getByText('notes:read_note').first().waitFor()
  await page.goto(`${tested.url}/console/`)
  await page.getByText('Show as a table').focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await atPage(page, 'Audit')
  expect(new URL(page.url()).searchParams.get('from')).toBe(byPointer.get('from'))
})

it(
  'shows the hours as a table where the chart cannot be drawn, as in a browser whose language is no valid tag',
  PATIENT,
  async () => {
    const { page } = await tested.signedIn()
    await page.addInitScript(() => Object.defineProperty(navigator, 'language', { value: 'en-US@posix' }))
    await page.goto(`${tested.url}/console/`)
    await page.getByRole('table', { name: 'Searches, calls and errors by hour' }).waitFor()
    await atPage(page, 'Home')
    expect(await page.locator('.u-over').count()).toBe(0)
  },
)

it('shows a session step by step: searches, the calls that followed, and how they ended', PATIENT, async () => {
  const { page } = watched
  await page.goto(`${tested.url}/console/audit`)
  await page.getByRole('button', { name: 'Last hour' }).click()
  await page.getByRole('tab', { name: 'Sessions' }).click()
  const session = page.locator('li').filter({ has: page.getByRole('heading', { name: /note-taker/ }) })
  await session.getByText('2 searches, 21 calls').waitFor()
  await session.getByText('result 1').first().waitFor()
  await session.getByText('No call followed').waitFor()
  expect(await axeFindings(page)).toEqual([])
})

it(
  'leads from a search that found nothing to the tool that is right, which is measured and learnt',
  PATIENT,
  async () => {
    const { page } = watched
    await page.goto(`${tested.url}/console/audit?view=searches&project=my-notes`)
    await page.getByRole('link', { name: 'zebra' }).click()
    await atPage(page, 'Search')
    await page.getByLabel('The right tool for this query').fill('archive')
    await page.getByRole('option', { name: 'notes:archive_note' }).click()
    await page.getByRole('button', { name: 'This is the right tool' }).click()
    await toastOf(page, 'Saved as the right tool')
    const { items } = (await tested.api('GET', '/projects/my-notes/learned?token=judged')) as Json
    expect(items).toMatchObject([{ query: 'zebra', toolKey: 'notes:archive_note' }])
    expect(await axeFindings(page)).toEqual([])
  },
)

it('goes back to the search before', PATIENT, async () => {
  const { page } = watched
  await page.goto(`${tested.url}/console/search`)
  for (const query of ['read note', 'archive note']) {
    await page.getByLabel('What should the tool do?').fill(query)
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.waitForURL(`**q=${query.replace(' ', '+')}**`)
  }
  await page.goBack()
  await expect.poll(() => page.getByLabel('What should the tool do?').inputValue(), LONG).toBe('read note')
})

it('keeps a language only after it was chosen', PATIENT, async () => {
  const { page, context } = await tested.signedIn({ language: 'ja-JP' })
  await page.getByRole('heading', { name: 'ホーム', level: 1 }).waitFor()
  expect(await page.evaluate(() => localStorage.getItem('tooldex.language'))).toBeNull()
  await page.getByLabel('言語').first().selectOption('en')
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  expect(await page.evaluate(() => localStorage.getItem('tooldex.language'))).toBe('en')
  await context.close()
})

it('shows the details of an entry, and its session', PATIENT, async () => {
  const { page } = watched
  await page.goto(`${tested.url}/console/audit?tool=notes:count_notes`)
  await page.getByRole('button', { name: /notes:count_notes/ }).click()
  const dialog = await dialogOf(page, /Call/)
  await dialog.getByRole('link', { name: 'Show the session' }).click()
  await page.getByRole('heading', { name: /note-taker/ }).waitFor()
  expect(new URL(page.url()).searchParams.get('view')).toBe('sessions')
})
