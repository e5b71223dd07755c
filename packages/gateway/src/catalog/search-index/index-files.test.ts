import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Bm25Provider, type SearchProvider, type ToolChange } from '@tooldex/search'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CatalogIndex } from './catalog-index.ts'
import { IndexFiles } from './index-files.ts'
import { serverOf } from '../snapshot.case.ts'

let folder = ''
let problems: string[] = []
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'tooldex-indexes-')), 'indexes')
  problems = []
})
afterEach(() => rmSync(join(folder, '..'), { recursive: true }))

/** Counts the tools that are indexed, not those that are loaded. */
class CountingProvider extends Bm25Provider {
  applied = 0
  override apply(change: ToolChange): void {
    this.applied += change.added.length + change.changed.length + change.removed.length
    super.apply(change)
  }
}

const NOUNS = ['issue', 'file', 'branch', 'mail', 'invoice']
const tools = (count: number, of = 'create') =>
  Array.from({ length: count }, (_, nth) => ({ name: `${of}_${NOUNS[nth % 5]}_${nth}`, description: `Number ${nth}` }))
const BIG = serverOf({ id: 'big', tools: tools(1_200) })

/** A gateway's start: an index over the lists of the previous run. */
function start(servers = [BIG], version = '1') {
  const made: CountingProvider[] = []
  const make = (): SearchProvider => {
    const provider = new CountingProvider()
    made.push(provider)
    return provider
  }
  const onProblem = ({ file, error }: { file: string; error: unknown }) =>
    void problems.push(`${file} ${String(error)}`)
  const index = new CatalogIndex({
    makers: new Map([['bm25', make]]),
    files: new IndexFiles({ folder, version, onProblem }),
  })
  for (const server of servers) index.put(server)
  const search = (query: string) => index.provider('bm25').search({ queries: [query], maxResults: 5, explain: true })
  return { index, search, applied: () => made.reduce((sum, { applied }) => sum + applied, 0) }
}

async function saved(servers = [BIG], version?: string) {
  const first = start(servers, version)
  const answer = await first.search('create branch 17')
  await first.index.save()
  return { answer, first }
}

describe('a saved index of the gateway', () => {
  it('[U14] is loaded at the next start, which indexes nothing and answers alike', async () => {
    const { answer, first } = await saved()
    expect(first.applied()).toBe(1_200)
    const next = start()
    await next.index.warmUp(['bm25', 'cloud'])
    expect(await next.search('create branch 17')).toEqual(answer)
    expect(next.applied()).toBe(0)
    expect(problems).toEqual([])
    expect(statSync(join(folder, readdirSync(folder)[0] ?? '')).mode & 0o077).toBe(0)
  })

  it('[U14] takes over changes that come while it is loaded, and afterwards', async () => {
    await saved()
    const next = start()
    const loading = next.index.warmUp(['bm25'])
    next.index.put(serverOf({ id: 'late', tools: ['brew_coffee'] }))
    await loading
    next.index.put(serverOf({ id: 'big', tools: tools(1_199) }))
    const { hits } = await next.search('brew coffee')
    expect(hits[0]?.id).toBe('late:brew_coffee')
    expect((await next.search('create_invoice_1199')).hits.map(({ id }) => id)).not.toContain('big:create_invoice_1199')
    expect(next.applied()).toBeLessThan(10)
  })

  it('is not used for other tools, another definition or another release', async () => {
    await saved()
    const renamed = serverOf({
      id: 'big',
      tools: [...tools(1_199), { name: 'create_invoice_1199', description: 'New' }],
    })
    for (const [servers, version] of [
      [[serverOf({ id: 'big', tools: tools(1_201) })], '1'],
      [[renamed], '1'],
      [[BIG], '2'],
    ] as const) {
      const next = start([...servers], version)
      await next.search('create')
      expect(next.applied()).toBeGreaterThan(1_000)
    }
    expect(problems).toEqual([])
  })

  it.each<[string, (bytes: Buffer) => Uint8Array]>([
    ['cut', (bytes) => bytes.subarray(0, bytes.length - 100)],
    ['empty', () => new Uint8Array()],
    ['altered', (bytes) => bytes.fill(7, 1_000, 1_010)],
    ['foreign', () => Buffer.from('{"this is": "something else"}'.repeat(99))],
    ['of a newer format', (bytes) => (bytes.writeInt32LE(99, 4), bytes)],
  ])('[U14] that is %s is reported, built again and replaced', async (_, damage) => {
    const { answer } = await saved()
    const file = join(folder, readdirSync(folder)[0] ?? '')
    writeFileSync(file, damage(readFileSync(file)))
    const next = start()
    await next.index.warmUp(['bm25'])
    expect(await next.search('create branch 17')).toEqual(answer)
    expect(next.applied()).toBe(1_200)
    expect(problems).toEqual([expect.stringContaining(file)])
    await next.index.save()
    const last = start()
    await last.search('create')
    expect(last.applied()).toBe(0)
  })

  it('is one file for a strategy, and none for few tools', async () => {
    await saved()
    await saved([serverOf({ id: 'big', tools: tools(1_300) })])
    expect(readdirSync(folder)).toHaveLength(1)
    rmSync(folder, { recursive: true })
    await saved([serverOf({ id: 'small', tools: tools(900) })])
    expect(() => readdirSync(folder)).toThrow('ENOENT')
  })

  it('is not written again while nothing changed, and a folder that cannot be written is reported', async () => {
    const { first } = await saved()
    rmSync(folder, { recursive: true })
    await first.index.save()
    expect(() => readdirSync(folder)).toThrow('ENOENT')
    writeFileSync(folder, 'a file is in the way')
    await saved([serverOf({ id: 'big', tools: tools(1_300) })])
    expect(problems.length).toBeGreaterThan(0)
  })
})
