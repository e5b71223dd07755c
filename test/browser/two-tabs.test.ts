// Every form that changes something, while others change the same entry: nothing typed and nothing saved is lost.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { type ConsoleUnderTest, consoleUnderTest, type WatchedPage } from './console-kit.ts'
import { atPage, toastOf } from './steps.ts'

let tested: ConsoleUnderTest
let browser: WatchedPage
let token: string

const servers = {
  notes: fixtureServer({ tools: [textTool('read_note', 'Reads a note.')] }),
  mail: { ...fixtureServer({ tools: [] }), env: { KEY: '${input:mail-key}' } },
}

beforeAll(async () => {
  tested = await consoleUnderTest()
  for (const [id, server] of Object.entries(servers)) await tested.api('POST', '/servers', { id, ...server })
  await tested.api('POST', '/projects', { id: 'team', name: 'Team', servers: ['notes'] })
  await tested.api('POST', '/endpoints', { id: 'team', project: 'team' })
  browser = await tested.signedIn()
  token = ((await tested.api('POST', '/tokens', { name: 'laptop' })) as Json)['token'].id
}, 120_000)

afterAll(() => tested[Symbol.asyncDispose]())

/** A form: what is typed, what others change meanwhile, and where both are seen. */
interface Form {
  readonly name: string
  readonly path: () => string
  readonly open?: string
  /** The field that is typed into, and its texts. */
  readonly field: string
  readonly texts: readonly [first: string, second: string, third: string]
  /** The value of the field in the API. */
  readonly valueOf: (entry: Json) => unknown
  readonly api: () => string
  /** A change of another field. */
  readonly other: Json
  readonly otherOf: (entry: Json) => unknown
  /** A change of the same field. */
  readonly same: (text: string) => Json
  readonly save: string
}

const forms: readonly Form[] = [
  {
    name: 'the settings of a project',
    path: () => 'projects/team',
    open: 'Settings',
    field: 'Minimum relevance',
    texts: ['0.25', '0.35', '0.45'],
    valueOf: ({ config }) => String(config.searchThreshold),
    api: () => '/projects/team',
    other: { exposure: 'full' },
    otherOf: ({ config }) => config.exposure,
    same: (text) => ({ searchThreshold: Number(text) }),
    save: 'Save',
  },
  {
    name: 'the settings of a server',
    path: () => 'servers/notes?tab=settings',
    field: 'Environment',
    texts: ['ONE=1', 'TWO=2', 'THREE=3'],
    valueOf: ({ config }) =>
      Object.keys(config.env ?? {}).map((key) => `${key}=${{ ONE: 1, TWO: 2, THREE: 3 }[key]}`)[0],
    api: () => '/servers/notes',
    other: { start: 'on-demand' },
    otherOf: ({ config }) => config.start,
    same: (text) => ({ env: Object.fromEntries([text.split('=')]) as Json }),
    save: 'Save',
  },
  {
    name: 'the overrides of an endpoint',
    path: () => 'endpoints/team',
    field: 'Minimum relevance',
    texts: ['0.25', '0.35', '0.45'],
    valueOf: ({ config }) => String(config.searchThreshold),
    api: () => '/endpoints/team',
    other: { exposure: 'full' },
    otherOf: ({ config }) => config.exposure,
    same: (text) => ({ searchThreshold: Number(text) }),
    save: 'Save overrides',
  },
  {
    name: 'a token',
    path: () => `tokens/${token}`,
    field: 'Name',
    texts: ['laptop one', 'laptop two', 'laptop three'],
    valueOf: ({ name }) => name,
    api: () => `/tokens/${token}`,
    other: { readOnly: true },
    otherOf: ({ readOnly }) => readOnly,
    same: (text) => ({ name: text }),
    save: 'Save',
  },
  {
    name: 'the settings of the gateway',
    path: () => 'settings',
    field: 'Keep entries for (days)',
    texts: ['11', '12', '13'],
    valueOf: ({ settings }) => String(settings.auditKeepDays),
    api: () => '/settings',
    other: { auditMaxEntries: 5_000 },
    otherOf: ({ settings }) => settings.auditMaxEntries,
    same: (text) => ({ auditKeepDays: Number(text) }),
    save: 'Save',
  },
  {
    name: 'the description of a tool',
    path: () => 'tools/notes%3Aread_note',
    field: 'Description for this project',
    texts: ['One.', 'Two.', 'Three.'],
    valueOf: ({ config }) => config.tools?.['notes:read_note']?.description,
    api: () => '/projects/team',
    other: { name: 'Team' },
    otherOf: ({ config }) => config.name,
    same: (text) => ({ tools: { 'notes:read_note': { description: text } } }),
    save: 'Save texts',
  },
  {
    name: 'the name of a tool in its project',
    path: () => 'projects/team',
    open: 'Edit read_note',
    field: 'Name for this project',
    texts: ['note_one', 'note_two', 'note_three'],
    valueOf: ({ config }) => config.tools?.['notes:read_note']?.name,
    api: () => '/projects/team',
    other: { exposure: 'meta-tools' },
    otherOf: ({ config }) => config.exposure,
    same: (text) => ({ tools: { 'notes:read_note': { name: text } } }),
    save: 'Save texts',
  },
]

/** Whether the centre of an element can be seen. */
function isOnTop(element: Element): boolean {
  const { x, y, width, height } = element.getBoundingClientRect()
  return element.contains(document.elementFromPoint(x + width / 2, y + height / 2))
}

async function opened({ path, open }: Form): Promise<Page> {
  const page = await browser.context.newPage()
  await page.goto(`${tested.url}/console/${path()}`)
  if (open !== undefined) await page.getByRole('button', { name: open, exact: true }).click()
  return page
}

const fieldIn = (page: Page, { field }: Form) => page.getByLabel(field, { exact: true }).first()
const saveIn = (page: Page, { save }: Form) => page.getByRole('button', { name: save, exact: true }).first()

describe.each(forms)('$name', (form) => {
  const current = async (): Promise<Json> => (await tested.api('GET', form.api())) as Json

  it('keeps typed text when others change the entry, and saves only what was typed', { timeout: 60_000 }, async () => {
    const page = await opened(form)
    await fieldIn(page, form).fill(form.texts[0])
    await tested.api('PATCH', form.api(), form.other)
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await saveIn(page, form).click()
    await toastOf(page, 'Changes saved')
    expect(Object.keys((await sent).postDataJSON() as Json)).toHaveLength(1)
    const entry = await current()
    expect({ typed: form.valueOf(entry), other: form.otherOf(entry) }).toEqual({
      typed: form.texts[0],
      other: Object.values(form.other)[0],
    })
    await page.close()
  })

  it('shows both values when the same field was changed elsewhere, and lets the user choose', {
    timeout: 60_000,
  }, async () => {
    const page = await opened(form)
    await fieldIn(page, form).fill(form.texts[1])
    await tested.api('PATCH', form.api(), form.same(form.texts[2]))
    const note = page.getByRole('alert').filter({ hasText: 'Changed elsewhere while you were editing' })
    await note.waitFor()
    await expect.poll(() => fieldIn(page, form).inputValue()).toBe(form.texts[1])
    await expect.poll(() => note.innerText()).toContain(form.texts[1])
    // A form that cannot be saved shows why beside its button, wherever it was scrolled to.
    if (form.open !== undefined) expect(await note.evaluate(isOnTop)).toBe(true)
    expect(form.valueOf(await current())).toBe(form.texts[2])
    await note.getByRole('button', { name: 'Keep yours' }).click()
    await saveIn(page, form).click()
    await toastOf(page, 'Changes saved')
    expect(form.valueOf(await current())).toBe(form.texts[1])
    await page.close()
  })

  it('asks before typed text is discarded', { timeout: 60_000 }, async () => {
    const page = await opened(form)
    await fieldIn(page, form).fill(form.texts[2])
    if (form.open === undefined) await page.getByRole('link', { name: 'Savings' }).click()
    else await page.keyboard.press('Escape')
    const asked = page.getByRole('dialog', { name: 'Discard unsaved changes?' })
    await asked.getByRole('button', { name: 'Keep editing' }).click()
    await asked.waitFor({ state: 'hidden' })
    await expect.poll(() => fieldIn(page, form).inputValue()).toBe(form.texts[2])
    if (form.open === undefined) await page.getByRole('link', { name: 'Savings' }).click()
    else await page.keyboard.press('Escape')
    await asked.getByRole('button', { name: 'Discard' }).click()
    if (form.open === undefined) await atPage(page, 'Savings')
    else await fieldIn(page, form).waitFor({ state: 'detached' })
    await page.close()
  })
})

it('keeps a value that a server lacks while others change the server', { timeout: 60_000 }, async () => {
  const { page } = await tested.signedIn()
  await page.goto(`${tested.url}/console/servers/mail`)
  const field = page.getByLabel('mail-key')
  await field.fill('s3cret')
  await tested.api('PATCH', '/servers/mail', { name: 'Mail' })
  await atPage(page, 'Mail')
  await expect.poll(() => field.inputValue()).toBe('s3cret')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await field.waitFor({ state: 'detached' })
})

it('keeps typed text when the session ends, for after signing in again', { timeout: 60_000 }, async () => {
  const made = (await tested.api('POST', '/tokens', { name: 'guest', kind: 'admin' })) as Json
  const { page } = await tested.newPage()
  await page.goto(`${tested.url}/console/servers/notes?tab=settings`)
  await page.getByLabel('Admin token').fill(made['secret'])
  await page.keyboard.press('Enter')
  const field = page.getByLabel('Environment', { exact: true })
  await field.fill('KEPT=1')
  await tested.api('DELETE', `/tokens/${made['token'].id}`)
  await page.getByText('Your session has ended.').waitFor()
  expect(await field.isVisible()).toBe(false)
  await page.getByLabel('Admin token').fill(tested.adminToken)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await atPage(page, 'notes')
  await expect.poll(() => field.inputValue()).toBe('KEPT=1')
})

it('turns tool search on again with the strategy that it had', { timeout: 60_000 }, async () => {
  await tested.api('PATCH', '/projects/team', { strategy: 'bm25' })
  const { page } = await tested.signedIn()
  await page.goto(`${tested.url}/console/projects/team`)
  for (const _turn of ['off', 'on']) {
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    await page.getByRole('switch', { name: 'Tool search' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('dialog', { name: 'Team settings' }).waitFor({ state: 'hidden' })
  }
  expect(((await tested.api('GET', '/projects/team')) as Json)['optimization']).toBe('bm25')
})
