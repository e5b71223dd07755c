// The console by keyboard alone: the first focus of dialogs, the returned focus, and visible focus rings.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Json } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { axeFindings } from './axe.ts'
import { type ConsoleUnderTest, consoleUnderTest, type WatchedPage } from './console-kit.ts'
import { type ConsolePage, pagesOf } from './pages.ts'
import { atPage, dialogOf } from './steps.ts'

let tested: ConsoleUnderTest
let watched: WatchedPage
let page: Page
let pages: readonly ConsolePage[]

beforeAll(async () => {
  const memory = fixtureServer({ tools: [textTool('create_entities', 'Creates entities.', ['name'])] })
  tested = await consoleUnderTest()
  await tested.api('POST', '/servers', { id: 'memory', ...memory })
  await tested.api('POST', '/projects', { name: 'Writing', servers: ['memory'] })
  await tested.api('POST', '/endpoints', { id: 'writing', project: 'writing' })
  const { token } = (await tested.api('POST', '/tokens', { name: 'laptop' })) as Json
  const call = { project: 'writing', arguments: { name: 'x' } }
  await vi.waitFor(() => tested.api('POST', '/tools/memory:create_entities/call', call), { timeout: 30_000 })
  pages = pagesOf(String(token.id))
  watched = await tested.signedIn()
  page = watched.page
}, 120_000)

afterAll(() => tested[Symbol.asyncDispose]())

const PATIENT = { timeout: 60_000 }
/** Long enough for a busy machine. */
const LONG = { timeout: 20_000 }

/** The name of the focused element. A field for JSON has another label once it has become an editor. */
const focused = (): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement | null
    const label = element?.labels?.[0] ?? element?.ariaLabelledByElements?.[0]
    const name = element?.ariaLabel ?? (label as HTMLElement | undefined)?.innerText ?? element?.innerText ?? ''
    return name.replace(/\s+/g, ' ')
  })

const DIALOGS = [
  {
    at: 'servers',
    heading: 'Servers',
    button: 'Add server',
    title: 'Add a server',
    begins: 'Configuration of a client',
  },
  { at: 'projects', heading: 'Projects', button: 'New project', title: 'New project', begins: 'Name' },
  {
    at: 'projects',
    heading: 'Projects',
    button: 'Writing settings',
    title: 'Writing settings',
    begins: 'Name',
  },
  { at: 'projects/writing', heading: 'Writing', button: 'Settings', title: 'Writing settings', begins: 'Name' },
  {
    at: 'projects/writing',
    heading: 'Writing',
    button: 'Remove',
    title: 'Remove project “Writing”?',
    begins: 'Cancel',
  },
  { at: 'endpoints', heading: 'Endpoints', button: 'New endpoint', title: 'New endpoint', begins: 'ID' },
  {
    at: 'endpoints/writing',
    heading: 'writing',
    button: 'Remove',
    title: 'Remove endpoint “writing”?',
    begins: 'Cancel',
  },
  { at: 'tokens', heading: 'Tokens', button: 'New token', title: 'New token', begins: 'Name' },
  { at: 'audit', heading: 'Audit', button: 'Call memory:create_entities', title: 'Call · Details', begins: 'Close' },
] as const

describe.each(DIALOGS)('$title, from $at', ({ at, heading, button, title, begins }) => {
  it('focuses its first control, closes with Escape, and returns the focus', PATIENT, async () => {
    await page.goto(`${tested.url}/console/${at}`)
    await atPage(page, heading)
    const opener = page.getByRole('button', { name: button, exact: true })
    await opener.focus()
    await page.keyboard.press('Enter')
    const dialog = await dialogOf(page, title)
    await expect.poll(focused, LONG).toBe(begins)
    for (let tab = 0; tab < 25; tab++) {
      await page.keyboard.press('Tab')
      await expect.poll(() => dialog.evaluate((element) => element.contains(document.activeElement)), LONG).toBe(true)
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await expect.poll(focused, LONG).toBe(button)
  })
})

it('focuses the copy button of a new secret', PATIENT, async () => {
  await page.goto(`${tested.url}/console/tokens?add=1`)
  await dialogOf(page, 'New token')
  await expect.poll(focused, LONG).toBe('Name')
  await page.keyboard.type('desk')
  await page.keyboard.press('Enter')
  await dialogOf(page, 'Copy the token now')
  await expect.poll(focused, LONG).toBe('Copy Secret')
})

it('focuses the field that a refusal names', PATIENT, async () => {
  await page.goto(`${tested.url}/console/endpoints?add=1`)
  const dialog = await dialogOf(page, 'New endpoint')
  await expect.poll(focused, LONG).toBe('ID')
  await page.keyboard.type('writing')
  await page.keyboard.press('Tab')
  await dialog.getByRole('button', { name: 'New endpoint' }).press('Enter')
  await dialog.getByText(/already|taken|exists/i).waitFor()
  await expect.poll(focused, LONG).toBe('ID')
})

it('opens a “new” dialog from the palette, and scrolls to the selected command', PATIENT, async () => {
  const size = page.viewportSize() ?? { width: 1280, height: 720 }
  // Too low for all commands.
  await page.setViewportSize({ ...size, height: 400 })
  onTestFinished(() => page.setViewportSize(size))
  await page.goto(`${tested.url}/console/savings`)
  await atPage(page, 'Savings')
  await page.keyboard.press('Control+k')
  const wanted = page.getByRole('option', { name: 'New token' })
  await wanted.waitFor()
  expect(await wanted.evaluate(isInSight)).toBe(false)
  const commands = await page.getByRole('option').allInnerTexts()
  const steps = commands.findIndex((text) => text.includes('New token'))
  for (let down = 0; down < steps; down++) await page.keyboard.press('ArrowDown')
  const chosen = page.getByRole('option', { selected: true })
  await expect.poll(() => chosen.innerText()).toContain('New token')
  expect(await chosen.evaluate(isInSight)).toBe(true)
  await page.keyboard.press('Enter')
  await dialogOf(page, 'New token')
  await expect.poll(focused, LONG).toBe('Name')
})

it('closes a dialog with “back”, and returns from a new project to the list', PATIENT, async () => {
  await page.goto(`${tested.url}/console/projects`)
  await page.getByRole('button', { name: 'New project' }).click()
  const dialog = await dialogOf(page, 'New project')
  await page.goBack()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'New project' }).click()
  await (await dialogOf(page, 'New project')).getByLabel('Name').fill('Reading')
  await page.keyboard.press('Enter')
  await atPage(page, 'Reading')
  await page.goBack()
  await atPage(page, 'Projects')
  expect(await page.getByRole('dialog', { name: 'New project' }).count()).toBe(0)
})

it('navigates and finds with single keys outside of fields, and lists them', PATIENT, async () => {
  await page.goto(`${tested.url}/console/`)
  await atPage(page, 'Home')
  // The second key must follow quickly, which a busy machine does not always manage, so this repeats both.
  const goToTools = async (): Promise<string> => {
    await page.keyboard.press('g')
    await page.keyboard.press('t')
    return new URL(page.url()).pathname
  }
  await expect.poll(goToTools, LONG).toBe('/console/tools')
  await atPage(page, 'Tools')
  await page.keyboard.press('/')
  await expect.poll(focused, LONG).toBe('Find tools')
  // In a field the keys are ordinary text.
  await page.keyboard.type('g?/')
  await expect.poll(() => page.getByRole('searchbox', { name: 'Find tools' }).inputValue()).toBe('g?/')
  await page.goto(`${tested.url}/console/savings`)
  await atPage(page, 'Savings')
  await page.keyboard.press('?')
  const help = await dialogOf(page, 'Keyboard shortcuts')
  await help.getByText('Go to a page (press one key, then the other)').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await help.getByRole('switch', { name: 'Single-key shortcuts' }).click()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'hidden' })
  await page.keyboard.press('?')
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('combobox', { name: 'Find pages, servers, tools' })
  await palette.waitFor()
  expect(await help.count()).toBe(0)
  await palette.fill('shortcuts')
  await page.getByRole('option', { name: 'Keyboard shortcuts' }).click()
  await (await dialogOf(page, 'Keyboard shortcuts')).getByRole('switch', { name: 'Single-key shortcuts' }).click()
  await page.keyboard.press('Escape')
})

it('copies without the clipboard API', PATIENT, async () => {
  const { page: plain, context } = await tested.signedIn()
  await plain.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
  await plain.goto(`${tested.url}/console/tokens?add=1`)
  const dialog = await dialogOf(plain, 'New token')
  await dialog.getByLabel('Name').fill('elsewhere')
  await dialog.getByRole('button', { name: 'New token' }).click()
  const made = await dialogOf(plain, 'Copy the token now')
  await made.getByRole('button', { name: 'Copy Secret' }).click()
  const secret = (await made.getByLabel('Secret', { exact: true }).innerText()).trim()
  await made.getByRole('button', { name: 'I have copied it' }).click()
  await plain.goto(`${tested.url}/console/tools`)
  await plain.getByRole('searchbox', { name: 'Find tools' }).focus()
  await plain.keyboard.press('Control+v')
  await expect.poll(() => plain.getByRole('searchbox', { name: 'Find tools' }).inputValue()).toBe(secret)
  await context.close()
})

it('shows a focus ring at every stop of every page', { timeout: 180_000 }, async () => {
  const unseen: string[] = []
  for (const { name, path, heading } of pages) {
    await page.goto(`${tested.url}/console/${path}`)
    await atPage(page, heading)
    if (name === 'settings') await turnedIntoEditor(page)
    // The navigation is the same on all pages.
    const stops = await stopsOf(page, name === pages[0]?.name ? 'page' : 'content')
    for (const stop of stops) if (!stop.isSeen) unseen.push(`${name}: ${stop.name}`)
  }
  expect(unseen).toEqual([])
  expect(watched.complaints).toEqual([])
})

/** A field for JSON becomes an editor some time after its first focus, which is then that of the editor. */
async function turnedIntoEditor(page: Page): Promise<void> {
  await page.locator('main textarea').focus()
  await page.locator('.cm-editor :focus').waitFor()
}

interface Stop {
  readonly name: string
  readonly isSeen: boolean
}

/** The Tab stops of a page or of its content, and whether each has a visible focus ring. */
async function stopsOf(page: Page, from: 'page' | 'content'): Promise<readonly Stop[]> {
  const stops: Stop[] = []
  if (from === 'content') await page.locator('main#content').focus()
  else await page.locator('body').evaluate((body) => (body.ownerDocument.activeElement as HTMLElement | null)?.blur())
  for (let tab = 0; tab < 80; tab++) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate(() => {
      const element = document.activeElement
      if (element === null || element === document.body) return undefined
      // An editor shows the ring around its lines and their numbers.
      const ringed = element.closest('.cm-editor') ?? element
      const { outlineStyle, outlineWidth } = getComputedStyle(ringed)
      const { width, height } = ringed.getBoundingClientRect()
      const isOutlined = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
      return { name: element.outerHTML.slice(0, 120), isSeen: isOutlined && width > 4 && height > 4 }
    })
    if (stop === undefined) return stops
    stops.push(stop)
  }
  return stops
}

function isInSight(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  const list = (element.parentElement as Element).getBoundingClientRect()
  return top >= list.top - 1 && bottom <= list.bottom + 1
}
