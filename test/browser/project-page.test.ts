// A project is one page: servers, tools, names, endpoint and token, in few clicks.
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { connect, type Json } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { axeFindings, look, lookAs } from './axe.ts'
import { type ConsoleUnderTest, consoleUnderTest } from './console-kit.ts'
import { atPage, contentLoaded, countClicks, dialogOf, goTo, problemBeside, rowOf, toastOf } from './steps.ts'

let tested: ConsoleUnderTest

const LAMPS = Array.from({ length: 30 }, (_, at) => textTool(`lamp_${at}`, `Switches lamp ${at}.`))

beforeAll(async () => {
  tested = await consoleUnderTest()
  const servers = {
    notes: fixtureServer({ tools: [textTool('read_note', 'Reads a note.'), textTool('drop_note', 'Deletes a note.')] }),
    mail: fixtureServer({ tools: [textTool('send_mail', 'Sends a mail.')] }),
    house: fixtureServer({ tools: [...LAMPS, textTool('open_door', 'Opens the door.')] }),
  }
  for (const [id, server] of Object.entries(servers)) await tested.api('POST', '/servers', { id, ...server })
  await tested.api('POST', '/projects', { id: 'house', name: 'House', servers: ['house'] })
  await tested.api('PATCH', '/projects/default', { name: 'Rest' })
  const listed = async (): Promise<void> => {
    const { tools } = (await tested.api('GET', '/overview')) as Json
    if (tools !== LAMPS.length + 4) throw new Error(`${tools} tools are listed`)
  }
  await vi.waitFor(listed, { timeout: 30_000, interval: 200 })
}, 120_000)

afterAll(() => tested[Symbol.asyncDispose]())

it('makes a project of two servers, denies a tool and connects a client in at most ten clicks', {
  timeout: 90_000,
}, async () => {
  const { page } = await tested.signedIn()
  const clicks = await countClicks(page)
  await goTo(page, 'Projects')
  await page.getByRole('button', { name: 'New project' }).first().click()
  const dialog = await dialogOf(page, 'New project')
  await dialog.getByLabel('Name').fill('Desk')
  await dialog.getByText('notes', { exact: true }).click()
  await dialog.getByText('mail', { exact: true }).click()
  // Before anything is saved, the form says what the default project loses.
  await dialog.getByText('The project Rest loses notes, mail').waitFor()
  await dialog.getByRole('button', { name: 'New project' }).click()
  await atPage(page, 'Desk')
  await rowOf(page, 'drop_note').getByRole('switch').click()
  await page.getByRole('button', { name: 'Connect a client' }).click()
  await (await dialogOf(page, 'Connect a client')).getByRole('button', { name: 'Create and show' }).click()
  const made = await dialogOf(page, /token/i)
  await made.getByRole('tab', { name: 'cursor' }).click()
  expect(await clicks()).toBeLessThanOrEqual(10)
  expect(new URL(page.url()).pathname).toBe('/console/projects/desk')
  const secret = /tdxc?_[\w-]+/.exec(await made.innerText())?.[0] ?? ''
  await expect.poll(() => made.getByRole('tabpanel', { name: 'cursor' }).innerText()).toContain(secret)
  const client = await connect('modern', tested.url, secret, 'desk')
  expect((await client.listTools()).map(({ name }) => name)).toEqual(['notes__read_note', 'mail__send_mail'])
  await client.close()
})

it('denies thirty tools in at most four clicks, and undoes it in one', { timeout: 60_000 }, async () => {
  const denied = async (): Promise<number> =>
    ((await tested.api('GET', '/tools?project=house&allowed=false')) as Json)['total']
  const { page } = await tested.signedIn()
  await page.goto(`${tested.url}/console/projects/house`)
  const clicks = await countClicks(page)
  await page.getByRole('searchbox', { name: 'Find tools of this project' }).fill('lamp')
  await page.getByText('30 of 31 tools').waitFor()
  await page.getByRole('checkbox', { name: 'Select all' }).click()
  await page.getByRole('button', { name: 'Deny', exact: true }).click()
  const toast = await toastOf(page, 'Changes saved')
  expect(await clicks()).toBeLessThanOrEqual(4)
  expect(await denied()).toBe(30)
  expect(await page.getByRole('switch', { checked: true }).count()).toBe(0)
  await toast.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(denied).toBe(0)
})

it('defers and undefers many tools, and leaves their other settings alone', { timeout: 60_000 }, async () => {
  const overrides = async (): Promise<unknown> => ((await tested.api('GET', '/projects/house')) as Json)['config'].tools
  await tested.api('PATCH', '/projects/house/tools', { tools: { 'house:open_door': { allowed: false } } })
  const { page } = await tested.signedIn()
  await page.goto(`${tested.url}/console/projects/house`)
  await page.getByRole('searchbox', { name: 'Find tools of this project' }).fill('open')
  await page.getByText('1 of 31 tools').waitFor()
  await page.getByRole('checkbox', { name: 'Select all' }).click()
  await page.getByRole('button', { name: 'Defer', exact: true }).click()
  await expect.poll(overrides).toEqual({ 'house:open_door': { allowed: false, deferLoading: true } })
  await page.getByRole('button', { name: 'Undefer', exact: true }).click()
  await expect.poll(overrides).toEqual({ 'house:open_door': { allowed: false } })
  await page.getByRole('button', { name: 'Reset', exact: true }).click()
  await expect.poll(overrides).toEqual({})
})

it('sorts the tools, and renames one; a name that is taken is refused beside the field', {
  timeout: 60_000,
}, async () => {
  const { page } = await tested.signedIn()
  await page.goto(`${tested.url}/console/projects/house`)
  const first = page.getByRole('table', { name: 'Tools' }).getByRole('rowheader').first()
  await page.getByRole('button', { name: 'Tool', exact: true }).click()
  await expect.poll(() => first.innerText()).toContain('lamp_0')
  await page.getByRole('button', { name: 'Tool', exact: true }).click()
  await expect.poll(() => first.innerText()).toContain('open_door')
  await page.getByRole('button', { name: 'Edit open_door' }).click()
  const name = (await dialogOf(page, 'Edit open_door')).getByLabel('Name for this project')
  await name.fill('house__lamp_1')
  await page.getByRole('button', { name: 'Save texts' }).click()
  expect(await problemBeside(name)).toContain('house:lamp_1')
  await name.fill('let_in')
  await page.getByRole('button', { name: 'Save texts' }).click()
  await rowOf(page, 'let_in').waitFor()
  const preview = (await tested.api('POST', '/projects/house/preview', { project: { exposure: 'full' } })) as Json
  expect(preview['clients'][0].names).toContain('let_in')
  expect(preview['clients'][0].names).not.toContain('house__open_door')
})

it('clones a project with its tools and settings', { timeout: 60_000 }, async () => {
  await tested.api('PATCH', '/projects/house/tools', { tools: { 'house:lamp_3': { allowed: false } } })
  const { page } = await tested.signedIn()
  await page.goto(`${tested.url}/console/projects/house`)
  await page.getByRole('button', { name: 'Clone' }).click()
  await (await dialogOf(page, 'Clone')).getByRole('button', { name: 'Clone' }).click()
  await atPage(page, 'House copy')
  expect(await tested.api('GET', '/projects/house-copy')).toMatchObject({
    servers: ['house'],
    config: { tools: { 'house:lamp_3': { allowed: false } } },
  })
})

it('shows and changes on the page of all tools what the chosen project does', { timeout: 60_000 }, async () => {
  await tested.api('PATCH', '/projects/house/tools', { tools: { 'house:lamp_1': { allowed: false } } })
  const { page } = await tested.signedIn()
  await page.goto(`${tested.url}/console/tools`)
  await page.getByText('Enabled globally').waitFor()
  await page.goto(`${tested.url}/console/tools?project=house`)
  // The list says what its switches do.
  await page.getByText('Allowed in House').waitFor()
  const switchOf = (name: string) => page.getByRole('switch', { name: new RegExp(`\\b${name}\\b`) })
  await switchOf('lamp_1').and(page.locator('[aria-checked=false]')).waitFor()
  await switchOf('lamp_10').click()
  await toastOf(page, 'Changes saved')
  const tool = (await tested.api('GET', '/tools/house:lamp_10')) as Json
  expect(tool).toMatchObject({ allowed: true })
  const forbidden = new Map<string, unknown>(
    tool['projects'].map((each: Json) => [each['project'], each['forbiddenBy']]),
  )
  expect(forbidden.get('house')).toBe('project')
  expect(forbidden.get('house-copy')).toBeUndefined()
})

it('searches and sorts a longer list of servers', { timeout: 60_000 }, async () => {
  await addDisabled(Array.from({ length: 8 }, (_, at) => `spare-${at}`))
  const { page } = await tested.signedIn()
  await page.goto(`${tested.url}/console/servers`)
  const table = page.getByRole('table', { name: 'Servers' })
  await rowOf(page, 'spare-7').waitFor()
  await table.getByRole('button', { name: 'Tools' }).click()
  await table.getByRole('columnheader', { name: 'Tools' }).and(page.locator('[aria-sort]')).waitFor()
  const names = table.getByRole('rowheader')
  const [first, ...others] = await names.allInnerTexts()
  expect([first, others.length]).toEqual([expect.stringMatching(/house/), 10])
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('searchbox', { name: 'Find in Servers' }).fill('SPARE-3')
  await rowOf(page, 'house').waitFor({ state: 'detached' })
  await expect.poll(() => names.allInnerTexts()).toEqual([expect.stringContaining('spare-3')])
})

it('keeps the tools of a project in reach below many servers, and a moved server in sight', {
  timeout: 60_000,
}, async () => {
  const servers = Array.from({ length: 12 }, (_, at) => `many-${at}`)
  await addDisabled(servers)
  await tested.api('POST', '/projects', { id: 'crowd', name: 'Crowd', servers })
  const { page } = await tested.signedIn()
  await page.goto(`${tested.url}/console/projects/crowd`)
  const list = page.getByRole('list').filter({ hasText: 'many-11' })
  await list.waitFor()
  expect((await list.boundingBox())?.height).toBeLessThan(340)
  const row = list.getByRole('listitem').filter({ hasText: 'many-4' })
  const down = row.getByRole('button', { name: 'Move many-4 down' })
  for (let place = 6; place <= 9; place++) {
    await down.and(page.locator(':not([aria-disabled=true])')).press('Enter')
    await row.getByText(String(place), { exact: true }).waitFor()
  }
  const [inside, outside] = await Promise.all([row.boundingBox(), list.boundingBox()])
  expect((inside?.y ?? 0) + (inside?.height ?? 0)).toBeLessThanOrEqual((outside?.y ?? 0) + (outside?.height ?? 0) + 1)
})

/** Adds servers that never start, all with one change. */
function addDisabled(ids: readonly string[]): Promise<unknown> {
  const mcpServers = Object.fromEntries(ids.map((id) => [id, { command: 'true', enabled: false }]))
  return tested.api('POST', '/import?dryRun=false', { mcpServers })
}

it.each([
  { language: 'en-GB', ofPage: look('light', 1440), ofDialog: look('dark', 375) },
  { language: 'ja-JP', ofPage: look('dark', 375), ofDialog: look('light', 1440) },
])('has no accessibility violation with tools chosen, in $language', { timeout: 60_000 }, async (looks) => {
  const { page, complaints } = await tested.signedIn({ language: looks.language })
  await page.goto(`${tested.url}/console/projects/house`)
  await page.getByRole('table').first().waitFor()
  await contentLoaded(page)
  await page.getByRole('checkbox').first().click()
  for (const each of [look('light', 768), looks.ofPage]) {
    await lookAs(page, each)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(each.width)
  }
  expect(await axeFindings(page)).toEqual([])
  await page.locator('tbody button:has(svg)').first().click()
  await page.getByRole('dialog').waitFor()
  await lookAs(page, looks.ofDialog)
  expect(await axeFindings(page)).toEqual([])
  expect(complaints).toEqual([])
})
