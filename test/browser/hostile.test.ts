// A server whose texts try to be markup, scripts, remote images or invisible characters.
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { FixtureSpec } from '../kit/fixture-server.ts'
import { type ConsoleUnderTest, consoleUnderTest, type WatchedPage } from './console-kit.ts'
import { HOSTILE, HOSTILE_NAMES, hostileText } from './hostile-texts.ts'

const KINDS = Object.keys(HOSTILE)
const ALL = KINDS.map(hostileText).join('\n')
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const UNSEEN = /[\u0000-\u0008\u001b\u007f\u200b\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u
const SCRIPT = fileURLToPath(new URL('./hostile-server.mjs', import.meta.url))

const tool = (name: string, description: string): object => ({
  name,
  title: hostileText('image'),
  description,
  inputSchema: {
    type: 'object',
    properties: {
      [HOSTILE_NAMES.markup]: { type: 'string', description: hostileText('direction'), default: hostileText('script') },
      choice: { enum: [hostileText('image'), hostileText('unseen')], description: hostileText('picture') },
    },
  },
})

const SPEC: FixtureSpec = {
  tools: [
    ...KINDS.map((kind) => tool(`say_${kind}`, hostileText(kind))),
    ...Object.values(HOSTILE_NAMES).map((name) => tool(name, `A name that is more than a name. ${ALL}`)),
  ],
  answers: [
    [
      'say_script',
      {
        result: {
          content: [
            { type: 'text', text: ALL },
            { type: 'image', mimeType: 'image/svg+xml"><script>window.ran=1</script>', data: 'PHN2Zz4=' },
            { type: 'resource_link', uri: 'javascript:window.ran=1', name: hostileText('link') },
          ],
          structuredContent: { [HOSTILE_NAMES.markup]: ALL },
        },
      },
    ],
  ],
}

let tested: ConsoleUnderTest
let watched: WatchedPage
let page: Page

beforeAll(async () => {
  const args = [SCRIPT, JSON.stringify(SPEC), JSON.stringify(KINDS.map(hostileText))]
  // Approval would hold all of it; the console has to show such texts where people turn it off.
  tested = await consoleUnderTest({ mcpServers: { evil: { command: process.execPath, args, trust: 'off' } } })
  watched = await tested.signedIn()
  page = watched.page
  // `ran` is set only by a text that ran, or by a policy violation.
  await page.addInitScript(() =>
    addEventListener('securitypolicyviolation', (event) => Object.assign(globalThis, { ran: event.violatedDirective })),
  )
}, 120_000)

afterAll(() => tested[Symbol.asyncDispose]())

/** Nothing ran, no policy was violated, and no invisible character is shown. */
async function expectHarmless(): Promise<void> {
  expect(await page.evaluate(() => Reflect.get(globalThis, 'ran') ?? 'nothing')).toBe('nothing')
  expect(watched.complaints).toEqual([])
  expect(await page.locator('main').innerText()).not.toMatch(UNSEEN)
  expect(await page.locator('main').locator('iframe, script, style, link, object, embed').count()).toBe(0)
  expect(await page.title()).not.toMatch(/[\u202a-\u202e]/)
}

const open = (path: string): Promise<unknown> => page.goto(`${tested.url}/console/${path}`)
const seen = (text: string): Promise<void> => page.locator('main').getByText(text).first().waitFor()

const PATIENT = { timeout: 60_000 }

it('shows the list of tools as text', PATIENT, async () => {
  await open('tools')
  await seen('(script) <script>window.ran = "script"</script> end')
  await seen('<b onmouseover=window.ran=1>bold</b>')
  await seen('U+202E')
  await page.locator('main').getByText('<b onmouseover').first().hover()
  await expectHarmless()
})

it('shows a server and its tools as text', PATIENT, async () => {
  await open('servers/evil')
  await seen('(frame) <iframe srcdoc="<script>parent.ran=1</script>"></iframe> end')
  await expectHarmless()
})

it('shows a log as text', PATIENT, async () => {
  await open('servers/evil?tab=logs')
  for (const kind of KINDS) await page.getByRole('log').getByText(`(${kind})`).waitFor()
  await expectHarmless()
})

it('shows a tool, its parameters and its definition as text', PATIENT, async () => {
  await open(`tools/${encodeURIComponent(`evil:${HOSTILE_NAMES.turned}`)}`)
  await seen('(markdown) ![pixel](http://192.0.2.7/pixel.gif)')
  await page.getByRole('tab', { name: 'Definition' }).click()
  await seen('"default"')
  await expectHarmless()
})

it('shows a result as text', PATIENT, async () => {
  await open('tools/evil%3Asay_script')
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  const result = page.getByLabel('Result', { exact: true }).first()
  for (const kind of KINDS) await result.getByText(`(${kind})`).waitFor()
  await expectHarmless()
})

it('shows search results as text', PATIENT, async () => {
  await open('search?strategies=bm25,lexical&q=say%20script%20image%20name')
  await seen('evil:say_script')
  await expectHarmless()
})

it('shows the audit as text', PATIENT, async () => {
  await tested.api('POST', `/tools/${encodeURIComponent(`evil:${HOSTILE_NAMES.turned}`)}/call`, {})
  await open('audit')
  await page.getByRole('button', { name: /^Call evil:delete/ }).click()
  await page.getByRole('dialog').getByText('U+202E').waitFor()
  expect(await page.getByRole('dialog').innerText()).not.toContain('\u202e')
  await expectHarmless()
})
