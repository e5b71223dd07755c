// Dialogs, refusals, undo and confirmations.
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Json } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { axeFindings } from './axe.ts'
import { type ConsoleUnderTest, consoleUnderTest, type WatchedPage } from './console-kit.ts'
import { atPage, dialogOf, goTo, problemBeside, rowOf, toastOf } from './steps.ts'

const NOTES = fixtureServer({
  tools: [
    textTool('add_note', 'Adds a note to the notebook.', ['text']),
    textTool('drop_notes', 'Throws every note of the notebook away.'),
  ],
})
const CALENDAR = fixtureServer({ tools: [textTool('add_event', 'Adds an event to the calendar.', ['title'])] })

let tested: ConsoleUnderTest
let watched: WatchedPage
let page: Page

const open = async (path: string, heading: string): Promise<void> => {
  await page.goto(`${tested.url}/console/${path}`)
  await atPage(page, heading)
}
const get = async (path: string): Promise<Json> => (await tested.api('GET', path)) as Json
const idsOf = async (path: string): Promise<string[]> => (await get(path))['items'].map(({ id }: Json) => id)

beforeAll(async () => {
  tested = await consoleUnderTest({ mcpServers: { calendar: CALENDAR } })
  await tested.api('POST', '/servers', { id: 'notes', ...NOTES })
  await tested.api('POST', '/projects', { name: 'Writing', servers: ['notes'], strategy: 'bm25' })
  await tested.api('POST', '/endpoints', { id: 'writing', project: 'writing' })
  await tested.api('POST', '/tokens', { name: 'pen', projects: ['writing'] })
  watched = await tested.signedIn()
  page = watched.page
}, 120_000)

afterAll(() => tested[Symbol.asyncDispose]())

const PATIENT = { timeout: 60_000 }
/** Long enough for a busy machine. */
const LONG = { timeout: 20_000 }

/** The selected text of a field. */
const selectedIn = (field: Locator): Promise<string> =>
  field.evaluate((editor) => (editor === document.activeElement ? String(document.getSelection()) : ''))

it('shows beside the field that a name is taken (case-insensitive)', PATIENT, async () => {
  await goTo(page, 'Projects')
  await page.getByRole('button', { name: 'New project' }).click()
  const project = await dialogOf(page, 'New project')
  await project.getByLabel('Name').fill('  wRITING ')
  await project.getByRole('button', { name: 'New project' }).click()
  expect(await problemBeside(project.getByLabel('Name'))).toMatch(/taken|exists|already/i)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()
  await goTo(page, 'Tokens')
  await page.getByRole('button', { name: 'New token' }).click()
  const token = await dialogOf(page, 'New token')
  await token.getByLabel('Name').fill('PEN')
  expect(await axeFindings(page)).toEqual([])
  await token.getByRole('button', { name: 'New token' }).click()
  expect(await problemBeside(token.getByLabel('Name'))).toMatch(/taken|exists|already/i)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()
})

it('shows the problem of a pasted text, and offers nothing to add', PATIENT, async () => {
  await page.goto(`${tested.url}/console/servers?add=1`)
  const dialog = await dialogOf(page, 'Add a server')
  const pasted = dialog.getByLabel('Configuration of a client')
  await pasted.fill('{ "mcpServers": ')
  await dialog.getByRole('button', { name: 'Check' }).click()
  expect(await problemBeside(pasted)).toMatch(/^line 1, column \d+: not valid JSON/i)
  expect(await dialog.getByRole('button', { name: /^Add and start/ }).count()).toBe(0)
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Escape')
})

it('has a field for each missing value of a pasted server, and adds it with the value', PATIENT, async () => {
  await page.goto(`${tested.url}/console/servers?add=1`)
  const dialog = await dialogOf(page, 'Add a server')
  const half = { command: 'x', enabled: false, env: { KEY: '${NOTES_KEY}', PIN: '${input:pin}' } }
  await dialog
    .getByLabel('Configuration of a client')
    .fill(JSON.stringify({ mcpServers: { half, bad: { command: 7 } } }))
  await dialog.getByRole('button', { name: 'Check' }).click()
  await dialog.getByLabel('Value of NOTES_KEY').fill('entered')
  expect(await axeFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Add and start 1 server' }).click()
  await dialog.getByText('added', { exact: true }).waitFor()
  // The other entry could not be added, so the text stays.
  await expect.poll(() => dialog.getByLabel('Configuration of a client').innerText()).toContain('half')
  await page.goto(`${tested.url}/console/servers/half`)
  await page.getByLabel('Value of pin').fill('1234')
  await page.getByRole('button', { name: 'Save values' }).click()
  await page.getByLabel('Value of pin').waitFor({ state: 'detached' })
})

it('names the line of a problem in a pasted server, and selects it', PATIENT, async () => {
  await page.goto(`${tested.url}/console/servers?add=1`)
  const dialog = await dialogOf(page, 'Add a server')
  const pasted = dialog.getByLabel('Configuration of a client')
  const lines = ['{ "mcpServers": {', '  "good": { "command": "x" },', '  "bad": {', '    "command": 5', '  }', '} }']
  await pasted.fill(lines.join('\n'))
  await dialog.getByRole('button', { name: 'Check' }).click()
  await dialog.getByRole('listitem').filter({ hasText: 'bad' }).getByText('command: must be a text').waitFor()
  await dialog.getByRole('button', { name: 'Line 4' }).click()
  await expect.poll(() => selectedIn(pasted), LONG).toBe(lines[3])
  await pasted.fill(['{', '  "mcpServers": nonsense', '}'].join('\n'))
  await dialog.getByRole('button', { name: 'Check' }).click()
  expect(await problemBeside(pasted)).toMatch(/^line 2, column \d+:/i)
  await expect.poll(() => selectedIn(pasted), LONG).toBe('  "mcpServers": nonsense')
  await page.keyboard.press('Escape')
})

it('shows why a pasted server was refused, and does not add the others twice', PATIENT, async () => {
  await page.goto(`${tested.url}/console/servers?add=1`)
  const dialog = await dialogOf(page, 'Add a server')
  const two = { early: { ...CALENDAR, start: 'on-demand' }, late: { ...CALENDAR, start: 'on-demand' } }
  await dialog.getByLabel('Configuration of a client').fill(JSON.stringify({ mcpServers: two }, null, 2))
  await dialog.getByRole('button', { name: 'Check' }).click()
  await page.route(/api\/v1\/servers$/, (route) =>
    String(route.request().postData()).includes('"late"')
      ? route.fulfill({ status: 503, json: { code: 'STORE_BUSY', title: 'Busy', detail: 'The store is busy.' } })
      : route.fallback(),
  )
  await dialog.getByRole('button', { name: 'Add and start 2 servers' }).click()
  await dialog.getByRole('listitem').filter({ hasText: 'late' }).getByText('The store is busy.').waitFor()
  expect(await idsOf('/servers')).toContain('early')
  await page.unrouteAll()
  await dialog.getByRole('button', { name: 'Add and start 1 server' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(await idsOf('/servers')).toEqual(expect.arrayContaining(['early', 'late']))
  for (const id of ['early', 'late']) await tested.api('DELETE', `/servers/${id}`)
})

it('shows that a server does not start, and why', PATIENT, async () => {
  await page.goto(`${tested.url}/console/servers?add=1`)
  const dialog = await dialogOf(page, 'Add a server')
  await dialog.getByRole('tab', { name: 'Fill in a form' }).click()
  await dialog.getByLabel('ID').fill('broken')
  await dialog.getByLabel('Command').fill('no-such-program --at-all')
  await dialog.getByRole('button', { name: 'Add and start 1 server' }).click()
  const row = rowOf(page, 'broken')
  await row.getByText('Failed').waitFor()
  await row.getByText('no-such-program').filter({ visible: true }).first().waitFor()
  await row.getByRole('link', { name: 'broken' }).click()
  await atPage(page, 'broken')
  await page.getByText('no-such-program').first().waitFor()
  await goTo(page, 'Home')
  await page.getByRole('link', { name: 'server broken' }).waitFor()
  expect(await idsOf('/servers')).toContain('broken')
})

it('undoes the disabling of a server', PATIENT, async () => {
  await goTo(page, 'Servers')
  await page.getByRole('button', { name: 'Server notes' }).click()
  await page.getByRole('menuitem', { name: 'Disable' }).click()
  const toast = await toastOf(page, 'Server “notes” disabled')
  expect(await get('/servers/notes')).toMatchObject({ enabled: false })
  await toast.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => get('/servers/notes'), LONG).toMatchObject({ enabled: true })
  await rowOf(page, 'notes').getByText('Running').waitFor()
})

it('undoes the disabling of a tool', PATIENT, async () => {
  await goTo(page, 'Tools')
  await page.getByRole('switch', { name: 'Allow drop_notes' }).click()
  const toast = await toastOf(page, 'notes:drop_notes disabled globally')
  expect(await get('/tools/notes:drop_notes')).toMatchObject({ allowed: false })
  await toast.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('switch', { name: 'Allow drop_notes', checked: true }).waitFor()
  await expect.poll(() => get('/tools/notes:drop_notes'), LONG).toMatchObject({ allowed: true })
})

it('undoes a project override of a tool', PATIENT, async () => {
  await open('tools/notes%3Adrop_notes', 'notes:drop_notes')
  const writing = page.getByRole('group', { name: 'writing' })
  await writing.getByRole('switch', { name: 'Pinned' }).click()
  const toast = await toastOf(page, 'Changes saved')
  const isWriting = ({ project }: Json): boolean => project === 'writing'
  const pinned = async () => (await get('/tools/notes:drop_notes'))['projects'].find(isWriting)?.override?.pinned
  expect(await pinned()).toBe(true)
  await toast.getByRole('button', { name: 'Undo' }).click()
  await writing.getByRole('switch', { name: 'Pinned', checked: false }).waitFor()
  await expect.poll(pinned, LONG).toBeUndefined()
})

it('undoes settings of a project, an endpoint and a token', PATIENT, async () => {
  const undo = async (): Promise<void> =>
    (await toastOf(page, 'Changes saved')).getByRole('button', { name: 'Undo' }).click()
  const partOf = async (path: string, ...names: string[]): Promise<Json> => {
    const thing = await get(path)
    return Object.fromEntries(names.map((name) => [name, thing[name]]))
  }
  await open('projects/writing', 'Writing')
  const project = await partOf('/projects/writing', 'name', 'config')
  await page.getByRole('button', { name: 'Settings' }).click()
  const dialog = await dialogOf(page, 'Writing settings')
  await dialog.getByLabel('Name', { exact: true }).fill('Written')
  await dialog.getByLabel('Exposure').selectOption('full')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(await get('/projects/writing')).toMatchObject({ name: 'Written', config: { exposure: 'full' } })
  await undo()
  await expect.poll(() => partOf('/projects/writing', 'name', 'config'), LONG).toEqual(project)

  await open('endpoints/writing', 'writing')
  const endpoint = await partOf('/endpoints/writing', 'project', 'auth', 'settings')
  await page.getByLabel('Exposure').selectOption('search-only')
  await page.getByRole('button', { name: 'Save overrides' }).click()
  await undo()
  await expect.poll(() => partOf('/endpoints/writing', 'project', 'auth', 'settings'), LONG).toEqual(endpoint)

  const pen = (await get('/tokens'))['items'].find(({ name }: Json) => name === 'pen')
  await open(`tokens/${pen.id}`, 'pen')
  await page.getByRole('switch', { name: 'Read-only' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await undo()
  await expect
    .poll(() => partOf(`/tokens/${pen.id}`, 'readOnly', 'projects'), LONG)
    .toEqual({
      readOnly: pen.readOnly,
      projects: pen.projects,
    })
})

it('removes a server from a project, undoes it, and keeps the focus on a moved server', PATIENT, async () => {
  await tested.api('PATCH', '/projects/writing', { servers: ['notes', 'calendar', 'broken'] })
  await open('projects/writing', 'Writing')
  const servers = async () => (await get('/projects/writing'))['servers']
  await page.getByRole('button', { name: 'Move notes down' }).focus()
  for (const order of [
    ['calendar', 'notes', 'broken'],
    ['calendar', 'broken', 'notes'],
  ]) {
    await page.keyboard.press('Enter')
    await expect.poll(servers, LONG).toEqual(order)
    await expect.poll(() => page.locator('main ol').innerText(), LONG).toMatch(new RegExp(order.join('[^]*')))
    await page.locator('main ol button[aria-busy=true]').first().waitFor({ state: 'hidden' })
  }
  const back = page.getByRole('button', { name: 'Move notes up' })
  await expect.poll(() => back.evaluate((button) => button === document.activeElement), LONG).toBe(true)
  await page.getByRole('button', { name: 'Remove calendar from the project' }).click()
  const toast = await toastOf(page, 'calendar removed from the project')
  expect(await servers()).toEqual(['broken', 'notes'])
  await toast.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Remove calendar from the project' }).waitFor()
  await expect.poll(servers, LONG).toEqual(['calendar', 'broken', 'notes'])
})

it('restores the servers of a project when the gateway refuses', PATIENT, async () => {
  await page.route(/projects\/writing$/, (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ status: 503, json: { code: 'STORE_BUSY', title: 'Busy', detail: 'The store has no room.' } })
      : route.fallback(),
  )
  await page.getByRole('button', { name: 'Remove calendar from the project' }).click()
  await page.getByText('The store has no room.').first().waitFor()
  await page.getByRole('button', { name: 'Remove calendar from the project' }).waitFor()
  expect((await get('/projects/writing'))['servers']).toContain('calendar')
  await page.unrouteAll()
  await tested.api('PATCH', '/projects/writing', { servers: ['notes'] })
})

it('restores a switch when the gateway refuses, and shows the reason', PATIENT, async () => {
  await goTo(page, 'Tools')
  await page.route(/tools\/notes%3Aadd_note$/, (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ status: 503, json: { code: 'STORE_BUSY', title: 'Busy', detail: 'The store is busy.' } })
      : route.fallback(),
  )
  await page.getByRole('switch', { name: 'Allow add_note' }).click()
  await page.getByText('The store is busy.').first().waitFor()
  await page.getByRole('switch', { name: 'Allow add_note', checked: true }).waitFor()
  await page.unrouteAll()
  expect(await tested.api('GET', '/tools/notes%3Aadd_note')).toMatchObject({ allowed: true })
})

it('offers no changes of entries that a file declares', PATIENT, async () => {
  await goTo(page, 'Servers')
  await page.getByRole('button', { name: 'Server calendar' }).click()
  for (const name of ['Disable', 'Remove'])
    await expect.poll(() => page.getByRole('menuitem', { name }).getAttribute('aria-disabled')).toBe('true')
  await page.keyboard.press('Escape')
  await open('servers/calendar?tab=settings', 'calendar')
  await page.getByText(/Declared in .*\. Edit the file to change it\./).waitFor()
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
  await goTo(page, 'Tools')
  // The page knows which entries a file declares when its servers are loaded.
  await page.getByRole('switch', { name: 'Allow add_event', disabled: true }).waitFor()
})

it('calls a tool with a form made from its schema', PATIENT, async () => {
  await open('tools/notes%3Aadd_note', 'notes:add_note')
  await page.getByLabel('text (required)').fill('buy "milk"')
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  const result = page.getByText('{"tool":"add_note"')
  await result.waitFor()
  await expect.poll(() => result.innerText()).toContain('{"tool":"add_note","arguments":{"text":"buy \\"milk\\""}}')
})

it('explains step by step why a token cannot use a tool', PATIENT, async () => {
  await goTo(page, 'Tokens')
  await page.getByRole('link', { name: 'pen' }).click()
  await atPage(page, 'pen')
  const tool = page.getByRole('combobox', { name: 'Tool', exact: true })
  await tool.fill('add an event')
  await page.getByRole('option', { name: 'calendar:add_event' }).click()
  await page.getByText('Access denied').waitFor()
  expect(await page.getByRole('listitem').filter({ hasText: '?' }).count()).toBeGreaterThan(1)
  await tool.fill('add a note')
  await page.getByRole('option', { name: 'notes:add_note' }).click()
  await page.getByText('Access allowed').waitFor()
})

it('searches with two strategies side by side, and shows the tools left out', PATIENT, async () => {
  await tested.api('PATCH', '/tools/notes:drop_notes', { allowed: false })
  await open('search?project=writing&strategies=bm25,lexical', 'Search')
  await page.getByLabel('What should the tool do?').fill('notes of the notebook')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  for (const strategy of ['bm25', 'lexical']) {
    const answer = page.locator('section').filter({ has: page.getByRole('heading', { name: strategy, exact: true }) })
    await answer.getByRole('link', { name: 'notes:add_note' }).waitFor()
    await answer.getByText('1 more matched but cannot be used').click()
    await answer.getByText('notes:drop_notes').waitFor()
  }
  expect(page.url()).toContain('q=notes')
  await tested.api('PATCH', '/tools/notes:drop_notes', { allowed: true })
})

it('opens pages by keyboard alone', PATIENT, async () => {
  await goTo(page, 'Home')
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('combobox', { name: 'Find pages, servers, tools' })
  await palette.waitFor()
  await expect.poll(() => palette.evaluate((field) => field === document.activeElement), LONG).toBe(true)
  await page.keyboard.type('writing')
  await page.getByRole('option', { name: 'Writing Projects' }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Enter')
  await atPage(page, 'Writing')
})

it('finds tokens and preferences in the palette', PATIENT, async () => {
  const palette = page.getByRole('combobox', { name: 'Find pages, servers, tools' })
  await page.keyboard.press('Control+k')
  await palette.fill('pen')
  await page.getByRole('option', { name: 'pen Tokens' }).click()
  await atPage(page, 'pen')
  await page.keyboard.press('Control+k')
  await palette.fill('dark')
  await page.getByRole('option', { name: 'Theme: Dark' }).click()
  await expect.poll(() => page.locator('html').getAttribute('data-theme'), LONG).toBe('dark')
  await page.keyboard.press('Control+k')
  await palette.fill('system')
  await page.getByRole('option', { name: 'Theme: System' }).click()
  await page.getByRole('button', { name: 'Theme: System' }).waitFor()
})

it('keeps the chosen theme and language', PATIENT, async () => {
  await page.getByRole('button', { name: 'Theme: System' }).click()
  await page.getByRole('button', { name: 'Theme: Light' }).click()
  await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark')
  await page.getByLabel('Language').selectOption('ja')
  await page.getByRole('link', { name: 'サーバー' }).waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'サーバー' }).waitFor()
  await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark')
  await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('ja')
  await page.getByLabel('言語').selectOption('en')
  await page.getByRole('link', { name: 'Servers' }).waitFor()
})

it('shows the consequences before it removes anything, then removes it', PATIENT, async () => {
  const remove = async (title: string | RegExp, consequence: string, verb = 'Remove'): Promise<void> => {
    const dialog = await dialogOf(page, title)
    await dialog.getByText(consequence).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await dialog.getByRole('button', { name: verb }).click()
    await dialog.waitFor({ state: 'hidden' })
  }
  await goTo(page, 'Tokens')
  await page.getByRole('link', { name: 'pen' }).click()
  await page.getByRole('button', { name: 'Revoke' }).click()
  await remove('Revoke token “pen”?', 'Clients that use it lose access immediately.', 'Revoke')
  await atPage(page, 'Tokens')
  expect(await idsOf('/tokens')).not.toContain('pen')

  await open('endpoints/writing', 'writing')
  await page.getByRole('button', { name: 'Remove' }).click()
  await remove('Remove endpoint “writing”?', 'The URL returns 404')
  await atPage(page, 'Endpoints')
  expect(await idsOf('/endpoints')).not.toContain('writing')

  await open('projects/writing', 'Writing')
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await remove('Remove project “Writing”?', 'Tokens lose access to this project.')
  await atPage(page, 'Projects')
  expect(await idsOf('/projects')).not.toContain('writing')

  await open('servers/notes', 'notes')
  await page.getByRole('button', { name: 'Server notes' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await remove('Remove server “notes”?', 'Agents lose its 2 tools immediately')
  await atPage(page, 'Servers')
  expect(await idsOf('/servers')).not.toContain('notes')
  expect(watched.complaints).toEqual([])
})
