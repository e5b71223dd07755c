import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { axeFindings } from './axe.ts'
import { type ConsoleUnderTest, consoleUnderTest } from './console-kit.ts'
import { type ConsolePage, pagesOf } from './pages.ts'
import { realServers } from './real-servers.ts'
import { contentLoaded } from './steps.ts'

let tested: ConsoleUnderTest
let pages: readonly ConsolePage[]

beforeAll(async () => {
  tested = await consoleUnderTest({ mcpServers: realServers() })
  const { token } = (await tested.api('POST', '/tokens', { name: 'laptop' })) as { token: { id: string } }
  pages = pagesOf(token.id)
  const call = (tool: string) => tested.api('POST', `/tools/memory:${tool}/call`, { arguments: {} })
  await vi.waitFor(() => call('read_graph'), { timeout: 60_000, interval: 200 })
  // The call is refused, so that the audit also has a long outcome.
  await call('create_entities').catch(() => {})
}, 120_000)

afterAll(() => tested[Symbol.asyncDispose]())

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  it('axe finds no violation on any page, and no page reports an error', { timeout: 240_000 }, async () => {
    const { page, complaints } = await tested.signedIn({ theme })
    const findings: string[] = []
    for (const { name, path, heading } of pages) {
      await page.goto(`${tested.url}/console/${path}`)
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
      await contentLoaded(page)
      for (const finding of await axeFindings(page)) findings.push(`${name}: ${finding}`)
    }
    expect(findings).toEqual([])
    expect(complaints).toEqual([])
  })
})

it('no page is wider than a phone, and nothing scrolls sideways', { timeout: 120_000 }, async () => {
  const { page } = await tested.signedIn({ width: 360, height: 740 })
  for (const { name, path, heading } of pages) {
    await page.goto(`${tested.url}/console/${path}`)
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    await contentLoaded(page)
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect({ name, width }).toEqual({ name, width: 360 })
    const sideways = await page.evaluate(() =>
      [...document.querySelectorAll('main [role=region], main [role=tablist]')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
        .map((part) => part.getAttribute('aria-label')),
    )
    expect({ name, sideways }).toEqual({ name, sideways: [] })
  }
})
