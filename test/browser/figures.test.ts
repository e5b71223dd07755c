// Size and rendering limits of the console, counted rather than timed.
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Json } from '../kit/clients.ts'
import { type ConsoleUnderTest, consoleUnderTest, signIn } from './console-kit.ts'
import { atPage } from './steps.ts'

/** The limit for the JavaScript of the first page, compressed. */
const MOST_BYTES = 200_000
/** The limit for rendered rows, for any number of tools. */
const MOST_ROWS = 45
const TOOLS_EACH = 5_000

let tested: ConsoleUnderTest

/** Leaves the scripts of the console unanswered, except the small ones that run before them. */
const holdScripts = (context: BrowserContext, answered = /\/theme\.js$/): Promise<unknown> =>
  context.route(/\.js$/, (route) => (answered.test(route.request().url()) ? route.continue() : undefined))

beforeAll(async () => {
  const args = [fileURLToPath(new URL('./many-tools-server.mjs', import.meta.url)), String(TOOLS_EACH)]
  const many = { command: process.execPath, args }
  tested = await consoleUnderTest({ mcpServers: { first: many, second: many } })
}, 120_000)

afterAll(() => tested[Symbol.asyncDispose]())

it('loads at most 200 kB of JavaScript for the first page', { timeout: 60_000 }, async () => {
  const { page } = await tested.newPage()
  const loaded = new Map<string, Promise<Buffer>>()
  page.on('response', (response) => {
    if (new URL(response.url()).pathname.endsWith('.js')) loaded.set(response.url(), response.body())
  })
  await signIn(page, tested.url, tested.adminToken)
  await page.getByText('Listing every tool costs').waitFor()
  const bodies = await Promise.all(loaded.values())
  const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0)
  expect(bodies.length).toBeGreaterThan(1)
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES)
})

it('loads fonts after the first page, and uses them before any script from then on', { timeout: 60_000 }, async () => {
  const { page, context } = await tested.newPage()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const font = (): number => asked.findIndex((path) => path.endsWith('.woff2'))
  const family = (): Promise<string> => page.locator('body').evaluate((body) => getComputedStyle(body).fontFamily)
  await page.goto(`${tested.url}/console/`, { waitUntil: 'commit' })
  expect(await family()).not.toContain('Inter')
  await signIn(page, tested.url, tested.adminToken)
  await expect.poll(font).toBeGreaterThan(0)
  expect(font()).toBeGreaterThan(asked.indexOf('/api/v1/overview'))
  await holdScripts(context)
  await page.reload({ waitUntil: 'commit' })
  await expect.poll(family).toContain('Inter')
})

it('shows the frame of the console before its scripts have loaded', { timeout: 60_000 }, async () => {
  const { page, context, complaints } = await tested.newPage()
  await holdScripts(context)
  await page.goto(`${tested.url}/console/`, { waitUntil: 'commit' })
  await page.getByText('Tooldex', { exact: true }).waitFor()
  const { left, background } = await page.evaluate(() => {
    const frame = document.querySelector('#root > div > div')
    return { left: frame?.getBoundingClientRect().width, background: frame && getComputedStyle(frame).backgroundColor }
  })
  expect(left).toBe(225)
  expect(background).not.toBe('rgba(0, 0, 0, 0)')
  expect(complaints).toEqual([])
})

it.each([
  ['projects/default', 'project-page-'],
  ['projects', 'projects-page-'],
  ['', 'home-page-'],
  ['audit?range=hour', 'audit-page-'],
])('asks for the code of /%s beside the first scripts, not after them', { timeout: 60_000 }, async (path, code) => {
  const { page, context, complaints } = await tested.newPage()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await holdScripts(context, /\/(?:theme|first-page)\.js$/)
  await page.goto(`${tested.url}/console/${path}`, { waitUntil: 'commit' })
  await expect.poll(() => asked.some((url) => url.includes(`/assets/${code}`))).toBe(true)
  expect(complaints).toEqual([])
  await context.close()
})

it('scrolls through ten thousand tools with few rendered rows', { timeout: 120_000 }, async () => {
  await expect
    .poll(async () => ((await tested.api('GET', '/overview')) as Json)['tools'], { timeout: 30_000 })
    .toBe(2 * TOOLS_EACH)
  const { page, complaints } = await tested.signedIn()
  await page.goto(`${tested.url}/console/tools`)
  await atPage(page, 'Tools')
  const list = page.getByRole('region', { name: 'Tool', exact: true })
  const rows = list.getByRole('listitem')
  await rows.first().waitFor()
  // All tools are counted, not only those that are loaded yet.
  await page.getByText('10,000 tools', { exact: true }).waitFor()
  const last = list.locator(`[aria-posinset="${2 * TOOLS_EACH}"]`)
  let most = 0
  while ((await last.count()) === 0) {
    const { length, height } = await list.evaluate((region) => {
      region.scrollTop = region.scrollHeight
      return { length: region.querySelectorAll('li').length, height: region.scrollHeight }
    })
    most = Math.max(most, length)
    await page.waitForFunction(
      ({ before, end }) =>
        document.querySelector(`[aria-posinset="${end}"]`) !== null ||
        (document.querySelector('[aria-posinset]')?.closest('[role=region]')?.scrollHeight ?? 0) > before,
      { before: height, end: 2 * TOOLS_EACH },
    )
  }
  expect(most).toBeLessThan(MOST_ROWS)
  expect(complaints).toEqual([])
})

it('shows ten thousand tools of a project in a table with few rendered rows, sorted and searched at once', {
  timeout: 60_000,
}, async () => {
  const { page, complaints } = await tested.signedIn()
  await page.goto(`${tested.url}/console/projects/default`)
  const rows = page.getByRole('table', { name: 'Tools' }).locator('tbody tr[aria-rowindex]')
  await page.getByText('10,000 tools', { exact: true }).waitFor()
  expect(await rows.count()).toBeLessThan(MOST_ROWS)
  await page.getByRole('button', { name: 'Cost' }).click()
  await page.getByRole('region', { name: 'Tools' }).evaluate((region) => (region.scrollTop = region.scrollHeight))
  await page.locator('tr[aria-rowindex="10001"]').waitFor()
  expect(await rows.count()).toBeLessThan(MOST_ROWS)
  expect(complaints).toEqual([])
})

it('receives the results of a search and the preview of a project compressed', { timeout: 60_000 }, async () => {
  const { page } = await tested.signedIn()
  const encoding = async (path: RegExp): Promise<string | undefined> =>
    (await page.waitForResponse((response) => path.test(response.url()))).headers()['content-encoding']
  const ofPreview = encoding(/projects\/default\/preview$/)
  await page.goto(`${tested.url}/console/projects/default`)
  expect(await ofPreview).toBe('gzip')
  const ofSearch = encoding(/\/api\/v1\/search$/)
  await page.goto(`${tested.url}/console/search?q=thing%20number%207`)
  expect(await ofSearch).toBe('gzip')
})

it('updates the list once for several rows, not at every scroll step', {
  timeout: 60_000,
}, async () => {
  const { page } = await tested.signedIn()
  await page.goto(`${tested.url}/console/tools`)
  const list = page.getByRole('region', { name: 'Tool', exact: true })
  await list.getByRole('listitem').first().waitFor()
  const { changes, rows } = await list.evaluate(async (region) => {
    const height = region.querySelector('li')?.offsetHeight ?? Number.NaN
    let changes = 0
    const watching = new MutationObserver(() => changes++)
    watching.observe(region, { childList: true, subtree: true, attributes: true, characterData: true })
    const steps = 60
    for (let step = 0; step < steps; step++) {
      region.scrollTop += 20
      await new Promise(requestAnimationFrame)
    }
    watching.disconnect()
    return { changes, rows: (steps * 20) / height }
  })
  expect(rows).toBeGreaterThan(15)
  expect(changes).toBeGreaterThan(0)
  expect(changes).toBeLessThan(rows / 2)
})
