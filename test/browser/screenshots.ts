// Screenshots of every page and dialog: `npm run screenshots -- [folder]`.
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { ROOT } from '../../scripts/packages.ts'
import { connect, type Json } from '../kit/clients.ts'
import { type ConsoleUnderTest, consoleUnderTest, type PageOptions } from './console-kit.ts'
import { type ConsolePage, pagesOf } from './pages.ts'
import { realServers } from './real-servers.ts'
import { contentLoaded } from './steps.ts'

/** Sizes, themes and languages. Dialogs are opened by their English labels. */
const LOOKS: readonly (PageOptions & { readonly name: string })[] = [
  { name: 'light-1280', width: 1280, height: 800, theme: 'light' },
  { name: 'dark-1280', width: 1280, height: 800, theme: 'dark' },
  { name: 'light-360', width: 360, height: 740, theme: 'light' },
  { name: 'dark-360', width: 360, height: 740, theme: 'dark' },
  { name: 'light-2560', width: 2560, height: 1300, theme: 'light' },
  { name: 'japanese-360', width: 360, height: 740, theme: 'light', language: 'ja-JP' },
]

/** The dialogs, and how to open each. */
const DIALOGS: readonly {
  readonly name: string
  readonly path: string
  readonly open: (page: Page) => Promise<void>
}[] = [
  { name: 'add-server', path: 'servers?add=1', open: async () => {} },
  {
    name: 'project-settings',
    path: 'projects',
    open: (page) => page.getByRole('button', { name: 'Default settings' }).click(),
  },
  {
    name: 'create-project',
    path: 'projects',
    open: (page) => page.getByRole('button', { name: 'New project' }).click(),
  },
  {
    name: 'create-endpoint',
    path: 'endpoints',
    open: (page) => page.getByRole('button', { name: 'New endpoint' }).click(),
  },
  { name: 'create-token', path: 'tokens', open: (page) => page.getByRole('button', { name: 'New token' }).click() },
  {
    name: 'confirm',
    path: 'projects/research',
    open: (page) => page.getByRole('button', { name: 'Remove', exact: true }).click(),
  },
  { name: 'menu', path: 'servers', open: (page) => page.getByRole('button', { name: 'Server kintai' }).click() },
  { name: 'audit-entry', path: 'audit', open: (page) => page.getByRole('button', { name: /^Call/ }).first().click() },
  { name: 'palette', path: '', open: (page) => page.keyboard.press('Control+k') },
  { name: 'keyboard', path: '', open: (page) => page.keyboard.press('?') },
  {
    name: 'made-token',
    path: 'tokens?add=1',
    open: async (page) => {
      await page.getByLabel('Name').fill(`phone ${Date.now()}`)
      await page.getByRole('dialog').getByRole('button', { name: 'New token' }).click()
      await page.getByText('Claude Code').first().waitFor()
    },
  },
  {
    name: 'refused-servers',
    path: 'servers?add=1',
    open: async (page) => {
      await page.getByLabel('Configuration of a client').fill(REFUSED)
      await page.getByRole('button', { name: 'Check' }).click()
      await page.getByText('Line 3').waitFor()
    },
  },
]

const REFUSED = `{ "mcpServers": {
  "weather": { "command": "npx", "args": ["-y", "weather-server"] },
  "mail": { "command": 5 },
  "kintai": { "command": "kintai" }
} }`

const SAMPLES = ['tasklane', 'forgeyard', 'daybook', 'roomtalk', 'kintai', '在庫管理']

/** Creates servers, tokens, audit entries and savings. Returns the pages. */
async function furnish(tested: ConsoleUnderTest): Promise<readonly ConsolePage[]> {
  const script = join(ROOT, 'packages', 'gateway', 'src', 'demo', 'sample-server.ts')
  const samples = SAMPLES.map((id) => [id, { command: process.execPath, args: [script, id] }] as const)
  for (const [id, entry] of [...Object.entries(realServers()), ...samples])
    await tested.api('POST', '/servers', { id, ...entry })
  await tested.api('POST', '/servers', { id: 'broken', command: 'no-such-program' })
  await serversSettled(tested)
  await tested.api('POST', '/projects', { name: 'Research', servers: ['memory', 'forgeyard'], strategy: 'bm25' })
  await tested.api('POST', '/endpoints', { id: 'research', project: 'research' })
  await tested.api('POST', '/tokens', { name: 'reader', readOnly: true })
  const { secret, token } = (await tested.api('POST', '/tokens', { name: 'laptop', projects: ['default'] })) as Json
  const agent = await connect('modern', tested.url, String(secret))
  await agent.listTools()
  await agent.close()
  for (const query of ['remember a fact', 'read a file', 'add two numbers', 'create an issue'])
    await tested.api('POST', '/search', { query: [query], strategies: ['bm25'] })
  for (const message of ['hello', 'again'])
    await tested.api('POST', '/tools/everything:echo/call', { arguments: { message } })
  await tested.api('POST', '/tools/everything:echo/call', { arguments: {} }).catch(() => {})
  return pagesOf(String(token.id))
}

/** Waits until every server is running or has failed. */
async function serversSettled(tested: ConsoleUnderTest): Promise<void> {
  for (;;) {
    const { items } = (await tested.api('GET', '/servers')) as Json
    if (items.every(({ status }: Json) => ['running', 'failed'].includes(status?.state))) return
    await setTimeout(100)
  }
}

/** The URL of the console, the folder of the screenshots, and the name of the look. */
interface Place {
  readonly url: string
  readonly folder: string
  readonly look: string
}

async function photograph(page: Page, { folder, look }: Place, name: string): Promise<void> {
  await contentLoaded(page)
  await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: true })
}

async function photographPages(page: Page, pages: readonly ConsolePage[], at: Place): Promise<void> {
  for (const { name, path } of pages) {
    await page.goto(`${at.url}/console/${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await photograph(page, at, name)
  }
}

async function photographDialogs(page: Page, at: Place): Promise<void> {
  for (const { name, path, open } of DIALOGS) {
    await page.goto(`${at.url}/console/${path}`)
    await page.getByRole('heading', { level: 1, includeHidden: true }).waitFor()
    await open(page)
    await page.getByRole('dialog').or(page.getByRole('menu')).first().waitFor()
    await photograph(page, at, `dialog-${name}`)
  }
}

/** Writes all screenshots. */
async function main(): Promise<void> {
  const folder = resolve(process.argv[2] ?? 'screenshots')
  await mkdir(folder, { recursive: true })
  await using tested = await consoleUnderTest()
  const pages = await furnish(tested)
  for (const { name, ...options } of LOOKS) {
    const { page, context } = await tested.signedIn(options)
    const at = { url: tested.url, folder, look: name }
    await photographPages(page, pages, at)
    if (options.language === undefined) await photographDialogs(page, at)
    await context.close()
    process.stdout.write(`  ${name}\n`)
  }
  process.stdout.write(`  in ${folder}\n`)
}

await main()
