import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { axeFindings, look, lookAs } from './axe.ts'
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

const WIDE = 1440
const PHONE = 360
/** Of tablets and small windows: tables hide columns below some of them. */
const WIDTHS = [WIDE, 1024, 768, PHONE]

/** Every page has both languages, both themes and both widths in two looks; the next page has the other two combinations. */
const LOOKS = [
  { language: 'en-GB', looks: [look('light', WIDE), look('dark', PHONE)] },
  { language: 'ja-JP', looks: [look('dark', PHONE), look('light', WIDE)] },
] as const

describe.each(LOOKS)('in $language', ({ language, looks }) => {
  it('no page has a violation, is wider than its window, or reports an error', { timeout: 240_000 }, async () => {
    const { page, complaints } = await tested.signedIn({ language })
    const findings: string[] = []
    for (const [nth, { name, path }] of pages.entries()) {
      const { theme, width } = nth % 2 === 0 ? looks[0] : looks[1]
      await page.goto(`${tested.url}/console/${path}`)
      await page.locator('main#content').getByRole('heading', { level: 1 }).waitFor()
      await contentLoaded(page)
      for (const each of WIDTHS) {
        await lookAs(page, { theme, width: each })
        const seen = each === width ? await axeFindings(page) : []
        for (const finding of [...seen, ...(await overflowing(page, each))])
          findings.push(`${name}, ${theme}, ${each} px: ${finding}`)
      }
    }
    expect(findings).toEqual([])
    expect(complaints).toEqual([])
  })
})

/** The page if it is wider than the window, and every part that scrolls sideways. */
async function overflowing(page: Page, width: number): Promise<readonly string[]> {
  return page.evaluate((most) => {
    const whole = document.documentElement.scrollWidth
    const parts = [...document.querySelectorAll('main [role=region], main [role=tablist]')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
      .map((part) => `scrolls sideways: ${part.getAttribute('aria-label')}`)
    // Titles of three lines and more: each letter has its own.
    const titles = [...document.querySelectorAll('main th[scope=col]')]
      .filter((title) => title.clientHeight > 4 * parseFloat(getComputedStyle(title).lineHeight))
      .map((title) => `has a column of letters: ${title.textContent}`)
    return [...(whole > most ? [`is ${whole} px wide`] : []), ...parts, ...titles]
  }, width)
}
