// The editor for JSON: line numbers, colours, marked mistakes; a plain text field until it has loaded.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { axeFindings, look, lookAs } from './axe.ts'
import { type ConsoleUnderTest, consoleUnderTest, type WatchedPage } from './console-kit.ts'
import { atPage, dialogOf, problemBeside } from './steps.ts'

const PATIENT = { timeout: 60_000 }
const EDITOR = /\/json-editor[^/]*\.js$/

let tested: ConsoleUnderTest
let watched: WatchedPage

beforeAll(async () => {
  tested = await consoleUnderTest()
  watched = await tested.signedIn()
}, 120_000)

afterAll(() => tested[Symbol.asyncDispose]())

const importField = (page: Page) => page.getByLabel('Import', { exact: true })

it('numbers and colours the lines, marks the mistake and names its place, and breaks no policy', PATIENT, async () => {
  const { page, complaints } = watched
  await page.goto(`${tested.url}/console/settings`)
  await atPage(page, 'Settings')
  const field = importField(page)
  await field.click()
  await page.locator('.cm-editor').waitFor()
  await field.fill('{\n  "servers": [\n    1,\n  }\n}')
  expect(await problemBeside(field)).toBe('Line 4, column 3: not valid JSON')
  await expect.poll(() => page.locator('.cm-lineNumbers').innerText()).toMatch(/1\s+2\s+3\s+4\s+5/)
  const colours = await page
    .locator('.cm-line span')
    .evaluateAll((parts) => new Set(parts.map((part) => getComputedStyle(part).color)).size)
  expect(colours).toBeGreaterThan(1)
  await expect.poll(() => page.locator('.cm-lint-marker-error').count()).toBe(1)
  for (const each of [look('light', 1440), look('dark', 375)]) {
    await lookAs(page, each)
    expect(await axeFindings(page)).toEqual([])
  }
  await lookAs(page, look('light', 1440))
  await field.fill('{}')
  await page.keyboard.press('ArrowLeft')
  // Single keys are shortcuts only outside of fields.
  await page.keyboard.type('"g?/": 1')
  await expect.poll(() => field.innerText()).toBe('{"g?/": 1}')
  await page.locator('.cm-lint-marker-error').waitFor({ state: 'detached' })
  await field.and(page.locator(':not([aria-invalid])')).waitFor()
  expect(complaints).toEqual([])
})

it('is left with Tab, takes keys one by one, and undoes them', PATIENT, async () => {
  const { page, complaints } = watched
  await page.goto(`${tested.url}/console/servers?add=1`)
  const dialog = await dialogOf(page, 'Add a server')
  const field = dialog.getByLabel('Configuration of a client')
  await field.click()
  await page.locator('.cm-editor').waitFor()
  await page.keyboard.type('[mcp]\nservers = "?"')
  await expect.poll(() => field.innerText()).toBe('[mcp]\nservers = "?"')
  // TOML is welcome here, so nothing is marked.
  expect(await page.locator('.cm-lint-marker-error').count()).toBe(0)
  await page.keyboard.press('Control+z')
  expect(await field.innerText()).not.toContain('?')
  await page.keyboard.press('Tab')
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(false)
  await dialog.getByText('Configuration of a client', { exact: true }).click()
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
  expect(complaints).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()
})

it('keeps text, place and focus of the plain field when the editor has loaded late', PATIENT, async () => {
  const { page, context, complaints } = await tested.newPage()
  let release = (): void => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await context.route(EDITOR, async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${tested.url}/`)
  await page.locator('input[name=token]').fill(tested.adminToken)
  await page.keyboard.press('Enter')
  await atPage(page, 'Home')
  await page.goto(`${tested.url}/console/servers?add=1`)
  const field = (await dialogOf(page, 'Add a server')).getByLabel('Configuration of a client')
  await field.click()
  await page.keyboard.type('{ "a": }')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  expect(await page.locator('.cm-editor').count()).toBe(0)
  release()
  await page.locator('.cm-editor').waitFor()
  await page.keyboard.type(' 5')
  await expect.poll(() => field.innerText()).toBe('{ "a": 5 }')
  expect(complaints).toEqual([])
})

it('stays a plain text field where the editor cannot be loaded', PATIENT, async () => {
  const { page, context } = await tested.signedIn()
  await context.route(EDITOR, (route) => route.abort())
  await page.goto(`${tested.url}/console/settings`)
  const field = importField(page)
  const asked = page.waitForEvent('requestfailed', (request) => EDITOR.test(request.url()))
  await field.focus()
  await asked
  await field.fill('{"servers": ')
  await page.getByRole('button', { name: 'Check' }).click()
  expect(await problemBeside(field)).not.toBe('')
  expect(await page.locator('.cm-editor').count()).toBe(0)
})
