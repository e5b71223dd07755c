// Clients on the machine of the gateway: the console writes into their files and adds their servers.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Json } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { axeFindings } from './axe.ts'
import { type ConsoleUnderTest, consoleUnderTest, type WatchedPage } from './console-kit.ts'
import { atPage, dialogOf, toastOf } from './steps.ts'

const SECRET = 'hunter2-very-private'
const NOTES = fixtureServer({ tools: [textTool('add_note', 'Adds a note.')] }, { env: { PIN: SECRET } })
const OTHER = fixtureServer({ tools: [textTool('add_event', 'Adds an event.'), textTool('see_day', 'Shows a day.')] })
const ORIGINAL = `{\n  // mine\n  "mcpServers": {\n    "notes": ${JSON.stringify(NOTES)},\n    "taken": ${JSON.stringify(OTHER)}\n  }\n}\n`
const PATIENT = { timeout: 90_000 }

let tested: ConsoleUnderTest
let watched: WatchedPage
let page: Page
const cursor = (): string => join(tested.home, '.cursor', 'mcp.json')
const zed = (): string => join(tested.home, '.config', 'zed', 'settings.json')
const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
const itemsOf = async (path: string): Promise<Json[]> => ((await tested.api('GET', path)) as Json)['items']
const open = (path: string): Promise<unknown> => page.goto(`${tested.url}/console/${path}`)

beforeAll(async () => {
  tested = await consoleUnderTest()
  write(cursor(), ORIGINAL)
  write(zed(), '{ "context_servers": ')
  await tested.api('POST', '/servers', {
    id: 'taken',
    ...fixtureServer({ tools: [textTool('elsewhere', 'Something else.')] }),
  })
  watched = await tested.signedIn()
  page = watched.page
}, 120_000)
afterAll(() => tested[Symbol.asyncDispose]())

it('shows what changes in which file, writes it with a backup, and undoes it', PATIENT, async () => {
  await open('endpoints/default')
  await atPage(page, 'default')
  // The clients that were found come first.
  await expect.poll(() => page.getByRole('tab').first().innerText()).toBe('Cursor')
  await page.getByRole('tab', { name: 'Cursor' }).click()
  const button = page.getByRole('button', { name: 'Write it into this client' })
  await button.click()
  const change = page.getByRole('region', { name: 'Change of Cursor’s file' })
  await change.getByText(`This changes ${cursor()}:`).waitFor()
  const lines = await change.getByLabel('Changed lines').innerText()
  expect(lines).toContain(`${tested.url}/mcp`)
  expect(lines).not.toContain(SECRET)
  expect(readFileSync(cursor(), 'utf8')).toBe(ORIGINAL)
  expect(await axeFindings(page)).toEqual([])
  await change.getByRole('button', { name: 'Write the file' }).click()
  await toastOf(page, 'with the new token “Cursor”')
  const written = readFileSync(cursor(), 'utf8')
  expect(written).toMatch(/\/\/ mine[^]*tdx_/)
  expect((await itemsOf('/tokens')).map(({ name }) => name)).toContain('Cursor')

  await button.click()
  await page.getByText('already has this entry').waitFor()
  await page.getByRole('button', { name: 'Undo in Cursor' }).click()
  await toastOf(page, 'is as it was before')
  expect(readFileSync(cursor(), 'utf8')).toBe(ORIGINAL)
  expect((await itemsOf('/tokens')).map(({ name }) => name)).not.toContain('Cursor')
  expect(watched.complaints).toEqual([])
})

it('refuses a broken file with a remedy, and says that a client was not found', PATIENT, async () => {
  await page.getByRole('tab', { name: 'Zed' }).click()
  await page.getByRole('button', { name: 'Write it into this client' }).click()
  const change = page.getByRole('region', { name: 'Change of Zed’s file' })
  await change.getByRole('alert').getByText(zed()).waitFor()
  await change.getByText('Correct it and try again').waitFor()
  expect(await change.getByRole('button', { name: 'Write the file' }).count()).toBe(0)
  expect(readFileSync(zed(), 'utf8')).toBe('{ "context_servers": ')
  write(zed(), '{}')
  await change.getByRole('button', { name: 'Try again' }).click()
  await change.getByRole('button', { name: 'Write the file' }).waitFor()
  // Somebody changes the file before it is written.
  write(zed(), '{ "theme": "One" }')
  await change.getByRole('button', { name: 'Write the file' }).click()
  await page.getByText('has changed since the preview').waitFor()
  expect(readFileSync(zed(), 'utf8')).toBe('{ "theme": "One" }')
  await page.getByRole('tab', { name: 'Windsurf' }).click()
  await page.getByText('Windsurf was not found on this machine').waitFor()
  write(zed(), '{ "context_servers": ')
})

it('writes the token that was just made for a project, by keyboard alone', PATIENT, async () => {
  await tested.api('POST', '/projects', { id: 'desk', name: 'Desk', servers: ['taken'] })
  await open('projects/desk')
  await atPage(page, 'Desk')
  await page.getByRole('button', { name: 'Connect a client' }).click()
  const form = await dialogOf(page, 'Connect a client')
  await form.getByLabel('Token').fill('desk token')
  await page.keyboard.press('Enter')
  const button = page.getByRole('button', { name: 'Write it into this client' })
  await button.focus()
  await page.keyboard.press('Enter')
  const confirm = page.getByRole('button', { name: 'Write the file' })
  await confirm.waitFor()
  const isFocused = () => confirm.evaluate((each) => each === document.activeElement)
  for (let press = 0; press < 4 && !(await isFocused()); press++) await page.keyboard.press('Tab')
  expect(await isFocused()).toBe(true)
  await page.keyboard.press('Enter')
  await toastOf(page, 'Written. Restart Cursor')
  const written = readFileSync(cursor(), 'utf8')
  expect(written).toContain(`${tested.url}/desk/mcp`)
  const made = (await itemsOf('/tokens')).map(({ name }) => name)
  expect(made).toContain('desk token')
  expect(made).not.toContain('Cursor')
  write(cursor(), ORIGINAL)
})

it('adds a server that a client has in four clicks, and its secret never reaches the browser', PATIENT, async () => {
  let received = ''
  page.on('response', (response) => {
    if (response.url().includes('/api/'))
      void response
        .text()
        .then((text) => (received += text))
        .catch(() => {})
  })
  await open('servers')
  await atPage(page, 'Servers')
  let clicks = 0
  const click = async (name: string | RegExp, role: 'button' | 'tab' | 'checkbox' = 'button'): Promise<void> => {
    clicks++
    await page.getByRole(role, { name }).first().click()
  }
  await click(/^Add (?:a )?server/)
  await click('Found on this machine', 'tab')
  const dialog = await dialogOf(page, 'Add a server')
  // The name of another server is a conflict, which is shown with a free one.
  await dialog.getByText('The ID “taken” is taken or not allowed, so “taken-2” is proposed').waitFor()
  await dialog.getByText(`Cursor (${cursor()})`).first().waitFor()
  await dialog.getByText('These files could not be read:').waitFor()
  await click('Add notes', 'checkbox')
  expect(await axeFindings(page)).toEqual([])
  await click('Add and start 1 server')
  await toastOf(page, 'Server added')
  expect(clicks).toBeLessThanOrEqual(4)
  await expect.poll(async () => (await itemsOf('/servers')).map(({ id }) => id)).toEqual(['taken', 'notes'])
  expect(received).toContain('foundIn')
  expect(received).not.toContain(SECRET)

  await page
    .getByRole('button', { name: /^Add (?:a )?server/ })
    .first()
    .click()
  await page.getByRole('tab', { name: 'Found on this machine' }).click()
  await dialog.getByText('The gateway has it already, as “notes”').waitFor()
  await expect.poll(() => dialog.getByRole('checkbox', { name: 'Add notes' }).isDisabled()).toBe(true)
  await dialog.getByRole('checkbox', { name: 'Add taken-2' }).focus()
  await page.keyboard.press('Space')
  await dialog.getByLabel('ID for taken').fill('notes')
  await dialog.getByRole('button', { name: 'Add and start 1 server' }).click()
  await dialog
    .getByText(/taken|already/)
    .last()
    .waitFor()
  await dialog.getByLabel('ID for taken').fill('days')
  await dialog.getByRole('button', { name: 'Add and start 1 server' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect((await itemsOf('/servers')).map(({ id }) => id)).toContain('days')
  expect(readFileSync(cursor(), 'utf8')).toBe(ORIGINAL)
})

it('tests a connection before saving, with the tools or the error of the server', PATIENT, async () => {
  await open('servers?add=1')
  const dialog = await dialogOf(page, 'Add a server')
  await dialog.getByRole('tab', { name: 'Fill in a form' }).click()
  const command = dialog.getByLabel('Command')
  const test = dialog.getByRole('button', { name: 'Test connection' })
  await command.fill('no-such-program')
  await test.click()
  await dialog.getByText('The connection failed. Nothing was saved.').waitFor()
  await dialog
    .getByText(/no-such-program/)
    .last()
    .waitFor()
  expect(await axeFindings(page)).toEqual([])
  const quoted = [OTHER['command'], ...(OTHER['args'] as string[])].map((word) => `'${String(word)}'`).join(' ')
  await command.fill(quoted)
  // A changed form has no outcome yet.
  expect(await dialog.getByText('The connection failed').count()).toBe(0)
  await test.click()
  await dialog.getByText('Connected to fixture 1: 2 tools. Nothing was saved.').waitFor()
  expect(await itemsOf('/servers')).toHaveLength(3)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()
  await dialog.waitFor({ state: 'hidden' })

  await open('servers/notes?tab=settings')
  await atPage(page, 'notes')
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText('Connected to fixture 1: 1 tool. Nothing was saved.').waitFor()
  expect(watched.complaints).toEqual([])
})

it('ends a test that is stopped, and the program that it started', PATIENT, async () => {
  const pidFile = join(tested.dataDir, 'pid')
  await open('servers?add=1')
  const dialog = await dialogOf(page, 'Add a server')
  await dialog.getByRole('tab', { name: 'Fill in a form' }).click()
  await dialog.getByLabel('Command').fill(`/bin/sh -c 'echo $$ > ${pidFile}; exec sleep 600'`)
  await dialog.getByRole('button', { name: 'Test connection' }).click()
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').trim() !== '', PATIENT).toBe(true)
  await dialog.getByRole('button', { name: 'Stop the test' }).click()
  await dialog.getByRole('button', { name: 'Test connection' }).waitFor()
  await expect.poll(() => existsSync(`/proc/${readFileSync(pidFile, 'utf8').trim()}`), PATIENT).toBe(false)
})

it('is in Japanese, and offers nothing of this machine through a proxy', PATIENT, async () => {
  const japanese = await tested.signedIn({ language: 'ja-JP', width: 375 })
  await japanese.page.goto(`${tested.url}/console/servers?add=1`)
  await japanese.page.getByRole('tab', { name: 'このマシンで検出' }).click()
  await japanese.page.getByText('ブラウザーを通りません').waitFor()
  expect(await axeFindings(japanese.page)).toEqual([])
  await japanese.page.getByRole('tab', { name: 'フォームに入力' }).click()
  await japanese.page.getByRole('button', { name: '接続をテスト' }).waitFor()
  await japanese.page.goto(`${tested.url}/console/endpoints/default?client=Cursor`)
  await japanese.page.getByRole('button', { name: 'このクライアントに書き込む' }).click()
  await japanese.page.getByRole('button', { name: 'ファイルに書き込む' }).waitFor()
  expect(await axeFindings(japanese.page)).toEqual([])

  const behind = await tested.newPage()
  await behind.context.setExtraHTTPHeaders({ 'x-forwarded-for': '203.0.113.7' })
  await behind.page.goto(`${tested.url}/`)
  await behind.page.locator('input[name=token]').fill(tested.adminToken)
  await behind.page.keyboard.press('Enter')
  await atPage(behind.page, 'Home')
  await behind.page.goto(`${tested.url}/console/endpoints/default?client=Cursor`)
  await behind.page.getByLabel('Cursor', { exact: true }).first().waitFor()
  expect(await behind.page.getByRole('button', { name: 'Write it into this client' }).count()).toBe(0)
  await behind.page.goto(`${tested.url}/console/servers?add=1`)
  await behind.page.getByRole('tab', { name: 'Fill in a form' }).waitFor()
  expect(await behind.page.getByRole('tab', { name: 'Found on this machine' }).count()).toBe(0)
})
