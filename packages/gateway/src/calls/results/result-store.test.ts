import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync, chmodSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KeptResult } from './kept-result.ts'
import { textSource } from './raw-text.ts'
import { readResult } from './read-result.ts'
import { type NewResult, RESULT_LIMITS, type ResultLimits, ResultStore } from './result-store.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooldex-results-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ADA = { tokenId: 'ada', projectId: 'p' }
const clock = { now: 1_000 }

function storeWith(limits: Partial<ResultLimits> = {}, at = join(folder, 'results')): ResultStore {
  return new ResultStore({ folder: at, now: () => clock.now, limits: { ...RESULT_LIMITS, ...limits } })
}

function newResult(texts: readonly string[], more: Partial<NewResult> = {}): NewResult {
  const sources = texts.map((text) => textSource(text)).filter((source) => source !== undefined)
  const bytes = sources.reduce((sum, source) => sum + source.bytes, 0)
  const rest = { owner: ADA, toolKey: 's:t', blocks: [], firstPageBytes: 400, pageBytes: 1_000 }
  return { texts: sources, bytes, ...rest, ...more }
}

async function keep(store: ResultStore, texts: readonly string[], more?: Partial<NewResult>): Promise<KeptResult> {
  const kept = await store.keep(newResult(texts, more))
  if (kept === undefined) throw new Error('The result was not kept')
  return kept
}

async function pagesOf(kept: KeptResult): Promise<string[]> {
  const pages: string[] = []
  for (let number = 1; number <= kept.pages; number++) pages.push(await kept.text(await kept.page(number)))
  return pages
}

const LINES = Array.from({ length: 300 }, (_, n) => `${n + 1}: é line of a log 😀${'.'.repeat(n % 40)}`)

describe.each([
  ['in memory', RESULT_LIMITS.memoryBytes],
  ['in a file', 0],
])('A kept result %s', (_, memoryBytes) => {
  it('[U8] is divided into pages at the ends of lines', async () => {
    const store = storeWith({ memoryBytes })
    const kept = await keep(store, [LINES.join('\n')])
    const pages = await pagesOf(kept)
    expect(pages.join('')).toBe(LINES.join('\n'))
    expect(pages.length).toBeGreaterThan(10)
    for (const page of pages.slice(0, -1)) {
      expect(page.endsWith('\n')).toBe(true)
      expect(Buffer.byteLength(page)).toBeLessThanOrEqual(1_500)
    }
    await store.stop()
  })

  it('[U8] keeps records of JSON whole, compact or indented, nested or not', async () => {
    const store = storeWith({ memoryBytes })
    const records = Array.from({ length: 100 }, (_, n) => ({ n, name: `é "quoted", [odd] ${n}`, tags: ['a', 'b,c'] }))
    for (const value of [records, { total: 100, data: { items: records, more: false } }]) {
      for (const indent of [undefined, 2]) {
        const text = JSON.stringify(value, undefined, indent)
        const kept = await keep(store, [text])
        const pages = await pagesOf(kept)
        expect(pages.join('')).toBe(text)
        expect(pages.length).toBeGreaterThan(3)
        for (const page of pages.slice(0, -1)) expect(page).toMatch(/\}\s*,$/)
        const first = await kept.page(1)
        const closed = `${(await kept.text(first)).replace(/,\s*$/, '')}${await kept.closing(first)}`
        const shown = JSON.parse(closed) as typeof value
        const whole = Array.isArray(shown) ? shown : shown.data.items
        expect(whole).toEqual(records.slice(0, whole.length))
        expect(whole.length).toBeGreaterThan(1)
      }
    }
    await store.stop()
  })

  it('[U8] reads from any line, and finds text in any case', async () => {
    const store = storeWith({ memoryBytes })
    const kept = await keep(store, [LINES.join('\n')])
    expect(kept.lines).toBe(300)
    for (const line of [1, 2, 77, 150, 299, 300]) {
      expect(await kept.text(await kept.fromLine(line, 1))).toBe(`${LINES[line - 1]}${line === 300 ? '' : '\n'}`)
      const range = await kept.fromLine(line)
      expect(await kept.lineAt(range.start)).toBe(line)
    }
    const { found, total, isCounted } = await kept.find('77: É LINE', { most: 5, around: 20 })
    expect([found.length, total, isCounted]).toEqual([0, 0, true])
    const seventy = await kept.find('77: é LINE OF', { most: 5, around: 60 })
    expect(seventy.found.map(({ line, excerpt }) => [line, excerpt])).toEqual([
      [77, LINES[76]],
      [177, LINES[176]],
      [277, LINES[276]],
    ])
    expect(await kept.find('log', { most: 2, around: 5 })).toMatchObject({ total: 300, isCounted: true })
    await store.stop()
  })
})

describe('Any kept text', () => {
  it('[U8] is whole in its pages, and every character is', async () => {
    const store = storeWith()
    const word = fc.constantFrom('a', '\n', '{', '[', '"', ',', '}', ']', '\\', 'é', '😀', '\ud83d', '1', ' ', '\u0000')
    const text = fc.array(word, { maxLength: 300 }).map((words) => words.join(''))
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 4 }), async (texts) => {
        const kept = await keep(store, texts, { firstPageBytes: 40, pageBytes: 100 })
        const pages = await pagesOf(kept)
        const whole = texts
          .filter((each) => each !== '')
          .map((each) => each.toWellFormed())
          .join('\n')
        expect(pages.join('')).toBe(whole)
        for (const page of pages) expect(Buffer.byteLength(page)).toBeLessThanOrEqual(150)
        const lines = whole.split('\n')
        const counted = whole.endsWith('\n') || whole === '' ? lines.length - 1 : lines.length
        expect(kept.lines).toBe(counted)
        for (const [index, line] of lines.slice(0, counted).entries()) {
          expect((await kept.text(await kept.fromLine(index + 1, 1))).slice(0, 20)).toBe(
            `${line}${index + 1 < lines.length ? '\n' : ''}`.slice(0, 20),
          )
        }
        await kept.close()
      }),
      { numRuns: 200 },
    )
    await store.stop()
  })
})

describe('ResultStore', () => {
  it('[U8] has a result for its caller and its minutes alone', async () => {
    const store = storeWith()
    const { id } = await keep(store, ['text'])
    expect(store.get(id, ADA)?.id).toBe(id)
    expect(store.get(id, { ...ADA, tokenId: 'bob' })).toBeUndefined()
    expect(store.get(id, { ...ADA, projectId: 'q' })).toBeUndefined()
    expect(store.get('unknown', ADA)).toBeUndefined()
    clock.now += RESULT_LIMITS.keptMs
    expect(store.get(id, ADA)).toBeUndefined()
    await store.stop()
  })

  it('removes the oldest results of a caller, and never those of another one for it', async () => {
    const store = storeWith({ callerResults: 2, results: 3 })
    const bob = { ...ADA, tokenId: 'bob' }
    const other = await keep(store, ['bob'], { owner: bob })
    const ids = []
    for (const text of ['first', 'second', 'third']) ids.push((await keep(store, [text])).id)
    expect(ids.map((id) => store.get(id, ADA) !== undefined)).toEqual([false, true, true])
    expect(store.get(other.id, bob)).toBeDefined()
    const more = await keep(store, ['eve'], { owner: { ...ADA, tokenId: 'eve' } })
    expect(store.get(other.id, bob)).toBeDefined()
    expect(store.get(more.id, { ...ADA, tokenId: 'eve' })).toBeDefined()
    await store.stop()
  })

  it('keeps within its bytes', async () => {
    const store = storeWith({ callerBytes: 1_000 })
    const first = await keep(store, ['a'.repeat(700)])
    await keep(store, ['b'.repeat(700)])
    expect(store.get(first.id, ADA)).toBeUndefined()
    expect(await store.keep(newResult(['c'.repeat(1_001)]))).toBeUndefined()
    await store.stop()
  })

  it('leaves no file behind, not even while it keeps one, and clears what a killed gateway left', async () => {
    const at = join(folder, 'left')
    mkdirSync(at)
    writeFileSync(join(at, 'old'), 'secret')
    const store = storeWith({ memoryBytes: 0 }, at)
    await store.start()
    expect(existsSync(at)).toBe(false)
    const kept = await keep(store, ['secret'])
    expect(readdirSync(at)).toEqual([])
    expect(await kept.text(await kept.page(1))).toBe('secret')
    await store.stop()
    expect(existsSync(at)).toBe(false)
    expect(await store.keep(newResult(['more']))).toBeUndefined()
  })

  it('does without keeping where it cannot write', async () => {
    const at = join(folder, 'refused')
    writeFileSync(at, '')
    chmodSync(at, 0o400)
    expect(await storeWith({ memoryBytes: 0 }, at).keep(newResult(['text']))).toBeUndefined()
  })

  it('[U8] answers like an unknown id if a result goes while it is read', async () => {
    const store = storeWith({ memoryBytes: 0, callerResults: 1 })
    const { id } = await keep(store, [LINES.join('\n')])
    const reader = { owner: ADA, mayUse: () => true }
    const reading = readResult(store, { id, find: 'line' }, reader)
    await keep(store, ['another'])
    await expect(reading).rejects.toMatchObject({ code: 'RESULT_NOT_FOUND' })
    await store.stop()
  })

  it('[U8] is out of reach with the tool whose result it is', async () => {
    const store = storeWith()
    const { id } = await keep(store, ['text'])
    const read = (tool: string) => readResult(store, { id }, { owner: ADA, mayUse: (key) => key === tool })
    expect((await read('s:t'))['content']).toMatchObject([{ text: 'text' }, { text: '[Page 1 of 1.]' }])
    await expect(read('s:u')).rejects.toMatchObject({ code: 'RESULT_NOT_FOUND' })
    await store.stop()
  })
})
