// Tool filters, names in the audit, and savings by client and project.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connect, type Json } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { axeFindings } from './axe.ts'
import { type ConsoleUnderTest, consoleUnderTest, type WatchedPage } from './console-kit.ts'
import { dialogOf, goTo } from './steps.ts'

const annotated = (name: string, description: string, annotations: object): object => ({
  ...textTool(name, description),
  annotations,
})
const NOTES = fixtureServer({
  tools: [
    annotated('read_note', 'Reads a note.', { readOnlyHint: true, idempotentHint: true }),
    annotated('drop_notes', 'Throws every note away.', { destructiveHint: true }),
    annotated('publish_note', 'Puts a note on the web.', { openWorldHint: true }),
    textTool('count_notes', 'Counts the notes.'),
  ],
})
const ALL_NOTES = ['count_notes', 'drop_notes', 'publish_note', 'read_note']
/** Enough tools that listing them costs more than searching. */
const LIBRARY = fixtureServer({
  tools: Array.from({ length: 60 }, (_, place) =>
    textTool(`shelf_${place}`, `Keeps books on shelf ${place}. `.repeat(12)),
  ),
})

const PATIENT = { timeout: 60_000 }
const LONG = { timeout: 20_000 }

let tested: ConsoleUnderTest
let watched: WatchedPage
let page: Page

const send = async (method: string, path: string, body?: object): Promise<Json> =>
  (await tested.api(method, path, body)) as Json
const names = () => page.getByRole('region', { name: 'Tool', exact: true }).getByRole('listitem').getByRole('link')
const shown = async (...expected: string[]): Promise<void> => {
  await expect.poll(async () => (await names().allInnerTexts()).toSorted(), LONG).toEqual(expected)
}
const chip = (name: string) => page.getByRole('group', { name: 'Filters' }).getByRole('button', { name })
const card = (title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) })

beforeAll(async () => {
  tested = await consoleUnderTest()
  await send('POST', '/servers', { id: 'notes', ...NOTES })
  await send('POST', '/servers', { id: 'library', ...LIBRARY })
  await send('POST', '/projects', { name: 'Small notes', servers: ['notes'], exposure: 'meta-tools' })
  await send('POST', '/projects', { name: 'Big library', servers: ['library'], exposure: 'meta-tools' })
  await send('POST', '/endpoints', { id: 'notes', project: 'small-notes' })
  await send('POST', '/endpoints', { id: 'library', project: 'big-library' })
  await send('PATCH', '/projects/small-notes/tools/notes:read_note', { pinned: true })
  await send('PATCH', '/projects/small-notes/tools/notes:count_notes', { deferLoading: true })
  watched = await tested.signedIn()
  page = watched.page
}, 120_000)

afterAll(() => tested[Symbol.asyncDispose]())

it('filters tools by annotations and by project overrides, including and excluding', PATIENT, async () => {
  await page.goto(`${tested.url}/console/tools?server=notes`)
  await shown(...ALL_NOTES)
  for (const [name, key, tool] of [
    ['Read-only', 'readOnly', 'read_note'],
    ['Destructive', 'destructive', 'drop_notes'],
    ['Idempotent', 'idempotent', 'read_note'],
    ['Open-world', 'openWorld', 'publish_note'],
    ['Deferred', 'deferred', 'count_notes'],
    ['Pinned', 'pinned', 'read_note'],
  ] as const) {
    await chip(name).click()
    await shown(tool)
    await expect.poll(() => chip(name).getAttribute('aria-pressed')).toBe('true')
    expect(new URL(page.url()).searchParams.get(key)).toBe('true')
    await chip(name).click()
    await shown(...ALL_NOTES.filter((each) => each !== tool))
    await expect.poll(() => chip(`Not: ${name}`).getAttribute('aria-pressed')).toBe('true')
    expect(new URL(page.url()).searchParams.get(key)).toBe('false')
    await chip(name).click()
    await shown(...ALL_NOTES)
    await expect.poll(() => chip(name).getAttribute('aria-pressed')).toBe('false')
  }
})

it('combines filters with the search, and keeps both in the address', PATIENT, async () => {
  await page.goto(`${tested.url}/console/tools?project=small-notes`)
  await chip('Idempotent').click()
  await page.getByRole('searchbox', { name: 'Find tools' }).pressSequentially('read something')
  await shown('read_note')
  await page.getByText('1 tool matches', { exact: true }).waitFor()
  await expect
    .poll(() => new URL(page.url()).search, LONG)
    .toBe('?q=read+something&project=small-notes&idempotent=true')
  expect(await axeFindings(page)).toEqual([])
  const other = await tested.signedIn()
  await other.page.goto(page.url())
  await other.page.getByRole('link', { name: 'read_note' }).waitFor()
  await expect.poll(() => other.page.getByRole('searchbox', { name: 'Find tools' }).inputValue()).toBe('read something')
  await expect
    .poll(() => other.page.getByRole('button', { name: 'Idempotent' }).getAttribute('aria-pressed'))
    .toBe('true')
  await expect.poll(() => other.page.getByLabel('Project').inputValue()).toBe('small-notes')
  await other.context.close()
})

it('shows the active filters of an empty result, and removes them one by one or all', PATIENT, async () => {
  await page.goto(`${tested.url}/console/tools?server=notes&openWorld=true&readOnly=false&pinned=true`)
  await page.getByText('No tools match these filters').waitFor()
  const on = page.getByRole('list', { name: 'Active filters:' })
  expect(await on.getByRole('listitem').allInnerTexts()).toEqual([
    'Server: notes',
    'Not: Read-only',
    'Open-world',
    'Pinned',
  ])
  expect(await axeFindings(page)).toEqual([])
  await on.getByRole('button', { name: 'Remove filter Pinned' }).click()
  await shown('publish_note')
  await page.getByRole('searchbox', { name: 'Find tools' }).fill('zzzz')
  await page.getByText('No tools match “zzzz”').waitFor()
  await page.getByRole('button', { name: 'Clear search and filters' }).click()
  await page.getByText('64 tools').waitFor()
  await expect.poll(() => new URL(page.url()).search, LONG).toBe('')
  await expect.poll(() => page.getByRole('searchbox', { name: 'Find tools' }).inputValue()).toBe('')
})

it('names tokens and projects in the audit, shows ids in the details, and marks revoked tokens', PATIENT, async () => {
  const made = await send('POST', '/tokens', { name: 'Ada’s laptop' })
  const client = await connect('modern', tested.url, made['secret'], 'notes')
  await client.call('tool_execute', { toolKey: 'notes:count_notes', arguments: {} })
  await client.close()
  await goTo(page, 'Audit')
  const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Call notes:count_notes' }) })
  await row.getByRole('cell', { name: 'Ada’s laptop' }).waitFor()
  await row.getByRole('cell', { name: 'Small notes', exact: true }).waitFor()
  expect(await page.getByRole('region', { name: 'Audit' }).innerText()).not.toContain(made['token'].id)
  await row.getByRole('button').click()
  const detail = await dialogOf(page, /^Call/)
  await detail.getByText('Ada’s laptop').waitFor()
  await detail.getByText(made['token'].id).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Escape')

  await send('DELETE', `/tokens/${made['token'].id}`)
  await row.getByRole('cell', { name: 'revoked token' }).waitFor()
  await row.getByRole('button').click()
  const after = await dialogOf(page, /^Call/)
  await after.getByText('revoked token').waitFor()
  await after.getByText(made['token'].id).waitFor()
  await page.keyboard.press('Escape')
})

it('shows savings by client and project, and the extra cost where there is one', PATIENT, async () => {
  const made = await send('POST', '/tokens', { name: 'reader' })
  const small = await connect('modern', tested.url, made['secret'], 'notes')
  await small.listTools()
  await goTo(page, 'Home')
  await page.getByText(/Lists, searches and schemas cost [\d,]+ tokens? more than listing every tool/).waitFor()
  await goTo(page, 'Savings')
  await page.getByText('Total extra cost').waitFor()
  const { since } = await send('GET', '/savings')
  const counted = page.getByText('Counted since').locator('..').locator('time').first()
  await expect.poll(() => counted.getAttribute('datetime')).toBe(new Date(since).toISOString())
  await page.getByText(/Lists, searches and schemas cost [\d,]+ tokens? more than listing every tool/).waitFor()
  const notes = card('By client').getByRole('row').filter({ hasText: 'Small notes' })
  await notes.getByText('acceptance').waitFor()
  await notes.getByRole('cell', { name: 'reader', exact: true }).waitFor()
  await notes.getByText(/^costs [\d,]+ tokens? more$/).waitFor()
  await notes.getByRole('cell', { name: 'never', exact: true }).waitFor()
  expect(await axeFindings(page)).toEqual([])

  const big = await connect('modern', tested.url, made['secret'], 'library')
  await big.listTools()
  await big.call('tool_discovery', { query: ['keep books'] })
  await Promise.all([small.close(), big.close()])
  await page.reload()
  await page.getByText('Total saved').waitFor()
  await card('By project')
    .getByRole('row')
    .filter({ hasText: 'Big library' })
    .getByRole('cell', { name: /^\d+ search(es)?$/ })
    .waitFor()
  const { total } = await send('GET', '/savings')
  expect(total).toMatchObject({ lists: 2, searches: 1 })
  const saved = `${Number(total['tokensSaved']).toLocaleString('en')} tokens`
  await page.getByText(saved, { exact: true }).first().waitFor()
  expect(await axeFindings(page)).toEqual([])
  await goTo(page, 'Home')
  await page.getByText(`Agents loaded ${saved} less`).waitFor()
  expect(watched.complaints).toEqual([])
})
