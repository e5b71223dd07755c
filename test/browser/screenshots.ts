// Pictures of every page and dialog: `npm run screenshots -- [folder]`.
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { ROOT } from '../../scripts/packages.ts'
import { connect, type Json } from '../kit/clients.ts'
import { type ConsoleUnderTest, consoleUnderTest } from './console-kit.ts'
import { PAGES } from './pages.ts'
import { realServers } from './real-servers.ts'

const SIZES = [
  { width: 1360, height: 860, themes: ['light', 'dark'] },
  { width: 360, height: 740, themes: ['light', 'dark'] },
  { width: 2560, height: 1300, themes: ['light'] },
] as const

/** Dialogs, and the way to each from a page. */
const DIALOGS: readonly {
  readonly name: string
  readonly path: string
  readonly open: (page: Page) => Promise<void>
}[] = [
  { name: 'add-server', path: 'servers?add=1', open: async () => {} },
  {
    name: 'project-settings',
    path: 'projects',
    open: (page) => page.getByRole('button', { name: 'Settings of Default' }).click(),
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
  { name: 'audit-entry', path: 'audit', open: (page) => page.getByRole('button', { name: /^Call/ }).first().click() },
  { name: 'palette', path: '', open: (page) => page.keyboard.press('Control+k') },
]

const SAMPLES = ['tasklane', 'forgeyard', 'daybook', 'roomtalk', 'kintai', '在庫管理']

/** Servers, tokens and something to look at in the audit, the savings and the chart. */
async function furnish(tested: ConsoleUnderTest): Promise<void> {
  const script = join(ROOT, 'packages', 'gateway', 'src', 'demo', 'sample-server.ts')
  const samples = SAMPLES.map((id) => [id, { command: process.execPath, args: [script, id] }] as const)
  for (const [id, entry] of [...Object.entries(realServers()), ...samples])
    await tested.api('POST', '/servers', { id, ...entry })
  await tested.api('POST', '/servers', { id: 'broken', command: 'no-such-program' })
  await tested.api('POST', '/tokens', { name: 'reader', readOnly: true })
  const { secret } = (await tested.api('POST', '/tokens', { name: 'laptop', projects: ['default'] })) as Json
  const agent = await connect('modern', tested.url, String(secret))
  await agent.listTools()
  await agent.close()
  for (const query of ['remember a fact', 'read a file', 'add two numbers', 'create an issue'])
    await tested.api('POST', '/search', { query: [query], strategies: ['bm25'] })
  for (const message of ['hello', 'again'])
    await tested.api('POST', '/tools/everything:echo/call', { arguments: { message } })
  await tested.api('POST', '/tools/everything:echo/call', { arguments: {} }).catch(() => {})
}

async function photograph(page: Page, folder: string, name: string): Promise<void> {
  await page.waitForLoadState('networkidle').catch(() => {})
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

/** Writes the pictures. */
async function main(): Promise<void> {
  const folder = resolve(process.argv[2] ?? 'screenshots')
  await mkdir(folder, { recursive: true })
  await using tested = await consoleUnderTest()
  await furnish(tested)
  for (const { width, height, themes } of SIZES) {
    for (const theme of themes) {
      const { page, context } = await tested.signedIn({ width, height, theme })
      for (const { name, path, heading } of PAGES) {
        await page.goto(`${tested.url}/console/${path}`)
        await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
        await photograph(page, folder, `${name}-${theme}-${width}`)
      }
      for (const { name, path, open } of DIALOGS) {
        await page.goto(`${tested.url}/console/${path}`)
        await page.getByRole('heading', { level: 1, includeHidden: true }).waitFor()
        await open(page)
        await page.getByRole('dialog').first().waitFor()
        await photograph(page, folder, `dialog-${name}-${theme}-${width}`)
      }
      await context.close()
      process.stdout.write(`  ${theme}, ${width} pixels wide: ${PAGES.length + DIALOGS.length} pictures\n`)
    }
  }
  process.stdout.write(`  in ${folder}\n`)
}

await main()
