/**
 * `npm run bench:console`: what the console costs a browser, with 50 servers, 2,000 tools and 100,000 audit entries: bytes of
 * the first load, how soon each page is there, on this machine and on a slow line, and frames while lists scroll.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { CDPSession, Locator, Page } from 'playwright-core'
import type { AuditEntry } from '../packages/gateway/src/model/audit.ts'
import { type ConsoleUnderTest, consoleUnderTest, signIn } from '../test/browser/console-kit.ts'
import { type ConsolePage, pagesOf } from '../test/browser/pages.ts'
import { contentLoaded } from '../test/browser/steps.ts'
import { storeEntries } from '../test/browser/stored-entries.ts'

const SERVERS = 50
const TOOLS_EACH = 40
const ENTRIES = 100_000
const DAY_MS = 86_400_000
const LOADS = 3
const FRAMES = 200
/** A line of 400 ms and 50 kB/s, as with a weak mobile network. */
const SLOW_LINE = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }
const GOALS = { firstLoadKb: 220, pageMs: 1_000, slowPageMs: 3_000, frameMs: 50 }

const progress = (line: string): void => void process.stderr.write(`  ${line}\n`)

/** `memory` is the server that the list of pages names. */
const serverIds = ['memory', ...Array.from({ length: SERVERS - 1 }, (_, at) => `server-${at + 1}`)]
const script = fileURLToPath(new URL('../test/browser/many-tools-server.mjs', import.meta.url))
const server = { command: process.execPath, args: [script, String(TOOLS_EACH), 'create_entities'] }

await using program = await consoleUnderTest({
  mcpServers: Object.fromEntries(serverIds.map((id) => [id, server])),
})
while (((await program.api('GET', '/overview')) as { tools: number }).tools < SERVERS * TOOLS_EACH) await delay(100)
const { token } = (await program.api('POST', '/tokens', { name: 'laptop' })) as { token: { id: string } }
progress(`writing ${ENTRIES.toLocaleString('en')} audit entries`)
const now = Date.now()
await storeEntries(
  program.dataDir,
  Array.from({ length: ENTRIES }, (_, nth) => entryOf(nth, now, token.id)),
)
const pages = pagesOf(token.id)

const firstLoad = await firstLoadOf(program)
const here = await pagesHere(program)
const slow = await pagesOnSlowLine(program)
const scrolling = await scrollingOf(program)
process.stdout.write(
  `${JSON.stringify({ goals: GOALS, firstLoad, pageMs: here, slowPageMs: slow, scrolling }, undefined, 2)}\n`,
)

/** Searches, calls and failures of thirty days, most of them of the last one. */
function entryOf(nth: number, now: number, tokenId: string): AuditEntry {
  const serverId = serverIds[nth % SERVERS] ?? ''
  const toolKey = `${serverId}:tool_${String((nth * 7) % TOOLS_EACH).padStart(5, '0')}`
  const left = (ENTRIES - nth) / ENTRIES
  const common = {
    ...{ at: Math.round(now - left ** 4 * 30 * DAY_MS), requestId: `r${nth}`, tokenId, projectId: 'default' },
    ...{ endpointId: 'default', durationMs: 1 + (nth % 400), transport: 'streamable-http' as const },
    ...{ clientName: `client ${nth % 5}`, clientVersion: '1' },
  }
  if (nth % 4 === 0) {
    const query = `thing number ${nth % TOOLS_EACH}`
    const resultKeys = nth % 40 === 0 ? [] : [toolKey]
    return {
      ...common,
      kind: 'search',
      outcome: 'ok',
      queryCount: 1,
      queries: [query],
      resultKeys,
      answeredBy: 'hybrid',
    }
  }
  const outcome = nth % 50 === 1 ? 'CALL_TIMEOUT' : 'ok'
  return { ...common, kind: 'call', outcome, serverId, toolKey, requestBytes: 20, resultBytes: 500 }
}

/** Everything that signing in and the first page load, compressed. What is preloaded for later pages by then is in it. */
async function firstLoadOf(tested: ConsoleUnderTest) {
  progress('first load')
  const { page, context } = await tested.newPage()
  const bodies = new Map<string, Promise<Buffer>>()
  page.on('response', (response) => {
    if (/\.(?:js|css)$/.test(new URL(response.url()).pathname)) bodies.set(response.url(), response.body())
  })
  await signIn(page, tested.url, tested.adminToken)
  await contentLoaded(page)
  const kb = async (pattern: RegExp): Promise<number> => {
    const chosen = [...bodies].filter(([url]) => pattern.test(url)).map(([, body]) => body)
    const sizes = (await Promise.all(chosen)).map((body) => gzipSync(body).length)
    return Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1_000)
  }
  const result = { scriptKb: await kb(/\.js$/), styleKb: await kb(/\.css$/), files: bodies.size }
  await context.close()
  return result
}

/** Until the page has its heading and no part of it is loading. */
async function opened(page: Page, url: string, { path, heading }: ConsolePage): Promise<number> {
  const since = performance.now()
  await page.goto(`${url}/console/${path}`, { waitUntil: 'commit' })
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
  await contentLoaded(page)
  return performance.now() - since
}

async function pagesHere(tested: ConsoleUnderTest): Promise<Record<string, number>> {
  const { page, context } = await tested.signedIn()
  const times: Record<string, number> = {}
  for (const each of pages) {
    const loads: number[] = []
    for (let load = 0; load < LOADS; load++) loads.push(await opened(page, tested.url, each))
    times[each.name] = Math.round(loads.toSorted((one, other) => one - other)[Math.floor(LOADS / 2)] ?? Number.NaN)
    progress(`${each.name}: ${times[each.name]} ms`)
  }
  await context.close()
  return times
}

/** With a cold cache, and once more with a warm one, as on every later visit. */
async function pagesOnSlowLine(tested: ConsoleUnderTest): Promise<Record<string, { cold: number; warm: number }>> {
  const { page, context } = await tested.signedIn()
  const line: CDPSession = await context.newCDPSession(page)
  await line.send('Network.enable')
  await page.addInitScript(() => localStorage.removeItem('tooldex.fonts'))
  await line.send('Network.emulateNetworkConditions', SLOW_LINE)
  const times: Record<string, { cold: number; warm: number }> = {}
  for (const each of pages) {
    await page.goto('about:blank')
    await line.send('Network.clearBrowserCache')
    const cold = Math.round(await opened(page, tested.url, each))
    const warm = Math.round(await opened(page, tested.url, each))
    times[each.name] = { cold, warm }
    progress(`${each.name} on a slow line: ${cold} ms, later ${warm} ms`)
  }
  await context.close()
  return times
}

/** Frame times while lists scroll by a number of pixels in each frame. */
async function scrollingOf(tested: ConsoleUnderTest) {
  const { page } = await tested.signedIn()
  const lists = [
    { name: 'tools', path: 'tools', list: page.getByRole('region', { name: 'Tool', exact: true }) },
    { name: 'project', path: 'projects/default', list: page.getByRole('region', { name: 'Tools', exact: true }) },
    { name: 'audit', path: 'audit', list: page.locator('html') },
    { name: 'server', path: 'servers/memory', list: page.locator('html') },
  ]
  const found: Record<string, object> = {}
  for (const { name, path, list } of lists) {
    await page.goto(`${tested.url}/console/${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await contentLoaded(page)
    found[name] = { slow: await framesOf(list, 60), fast: await framesOf(list, 600) }
    progress(`scrolled ${name}`)
  }
  return found
}

async function framesOf(list: Locator, pixels: number) {
  await list.evaluate((region) => (region.scrollTop = 0))
  await delay(500)
  const times = await list.evaluate(
    async (region, { pixels, frames }) => {
      const gaps: number[] = []
      let before = await new Promise<number>(requestAnimationFrame)
      let by = pixels
      for (let frame = 0; frame < frames; frame++) {
        const at = region.scrollTop
        region.scrollTop += by
        // At an end it turns, so that every frame scrolls.
        if (region.scrollTop === at) by = -by
        const now = await new Promise<number>(requestAnimationFrame)
        gaps.push(now - before)
        before = now
      }
      return gaps.toSorted((one, other) => one - other)
    },
    { pixels, frames: FRAMES },
  )
  const rounded = (nth: number): number => Math.round((times[nth] ?? Number.NaN) * 10) / 10
  const late = times.filter((time) => time > GOALS.frameMs).length
  return { over50Ms: late, p95Ms: rounded(Math.floor(FRAMES * 0.95)), longestMs: rounded(FRAMES - 1) }
}
