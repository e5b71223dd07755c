/** `npm run bench:console`: what the console costs a browser: its first load, and scrolling through 10,000 tools. */
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Locator } from 'playwright-core'
import { type ConsoleUnderTest, consoleUnderTest } from '../test/browser/console-kit.ts'

const TOOLS_EACH = 5_000
const LOADS = 5
const FRAMES = 200
/** A frame of a screen with 60 a second, and the clock's grain. */
const LATE_MS = 17.5

const server = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../test/browser/many-tools-server.mjs', import.meta.url)), String(TOOLS_EACH)],
}
await using program = await consoleUnderTest({ mcpServers: { first: server, second: server } })
while (((await program.api('GET', '/overview')) as { tools: number }).tools < 2 * TOOLS_EACH) await delay(100)

const result = { ...(await firstLoad(program)), ...(await scrolling(program)) }
process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`)

/** JavaScript of the first page, and how soon it shows its figures to a signed-in user. */
async function firstLoad(tested: ConsoleUnderTest) {
  const { page } = await tested.signedIn()
  const bodies = new Map<string, Promise<Buffer>>()
  page.on('response', (response) => {
    if (new URL(response.url()).pathname.endsWith('.js')) bodies.set(response.url(), response.body())
  })
  const times: number[] = []
  for (let load = 0; load < LOADS; load++) {
    const since = performance.now()
    await page.goto(`${tested.url}/console/`)
    await page.getByText('Listing every tool costs').waitFor()
    times.push(performance.now() - since)
  }
  const bytes = (await Promise.all(bodies.values())).reduce((sum, body) => sum + gzipSync(body).length, 0)
  return { scriptKb: Math.round(bytes / 1_000), interactiveMs: times.map(Math.round) }
}

/** Frame times while the list scrolls by a number of pixels in each frame. */
async function scrolling(tested: ConsoleUnderTest) {
  const { page } = await tested.signedIn()
  await page.goto(`${tested.url}/console/tools`)
  const list = page.getByRole('region', { name: 'Tool', exact: true })
  await list.getByRole('listitem').first().waitFor()
  const last = list.locator(`[aria-posinset="${2 * TOOLS_EACH}"]`)
  while ((await last.count()) === 0) {
    await list.evaluate((region) => (region.scrollTop = region.scrollHeight))
    await delay(50)
  }
  return { slowScroll: await framesOf(list, 60), fastScroll: await framesOf(list, 600) }
}

async function framesOf(list: Locator, pixels: number) {
  await list.evaluate((region) => (region.scrollTop = 0))
  await delay(500)
  const times = await list.evaluate(
    async (region, { pixels, frames }) => {
      const gaps: number[] = []
      let before = await new Promise<number>(requestAnimationFrame)
      for (let frame = 0; frame < frames; frame++) {
        region.scrollTop += pixels
        const now = await new Promise<number>(requestAnimationFrame)
        gaps.push(now - before)
        before = now
      }
      return gaps.toSorted((one, other) => one - other)
    },
    { pixels, frames: FRAMES },
  )
  const rounded = (nth: number): number => Math.round((times[nth] ?? Number.NaN) * 10) / 10
  const late = times.filter((time) => time > LATE_MS).length
  return { frames: FRAMES, late, p95Ms: rounded(Math.floor(FRAMES * 0.95)), longestMs: rounded(FRAMES - 1) }
}
