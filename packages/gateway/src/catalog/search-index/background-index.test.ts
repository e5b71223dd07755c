import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ToolScope } from '@tooldex/search'
import { allowedByRule, type ToolRule, traitsOf } from '@tooldex/search/engine'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BackgroundIndex, type BackgroundIndexParts, type RuledSearchRequest } from './background-index.ts'
import { CatalogIndex } from './catalog-index.ts'
import { openIndexFiles, openStrategies } from './open-strategies.ts'
import { serverOf, type ServerSketch } from '../snapshot.case.ts'
import { serverOfSearched } from './indexed-tools.ts'

let folder = ''
let lines: string[] = []
const open: CatalogIndex[] = []
const log = {
  debug: (_: unknown, message: string) => void lines.push(message),
  warn: (facts: object, message: string) => void lines.push(`${message} ${JSON.stringify(facts)}`),
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooldex-thread-'))
  lines = []
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((index) => index.close()))
  rmSync(folder, { recursive: true })
})

/** An index that uses a thread from one tool on, or never. */
function indexOf(kind: 'thread' | 'main', more: Partial<BackgroundIndexParts> = {}): CatalogIndex {
  const parts = { vectorsFolder: folder, indexes: { folder: join(folder, 'indexes'), version: '1' } }
  const index = new CatalogIndex({
    ...{ makers: openStrategies({ ...parts, log }).strategies, files: openIndexFiles({ ...parts, log }), log },
    ...(kind === 'thread' && {
      background: (tools) => new BackgroundIndex({ setup: parts, tools, log, ...more }),
      threadFrom: 1,
    }),
  })
  open.push(index)
  return index
}

const WORDS = 'create delete issue file folder list read pull_request search web invoice weather'.split(' ')
const text = (most: number) =>
  fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: most }).map((words) => words.join(' '))
const tool = fc.record({
  name: text(3).map((words) => words.replaceAll(' ', '_')),
  description: text(8),
  annotations: fc.record({ readOnlyHint: fc.boolean() }),
})
const IDS = ['s0', 's1', 's2']
const servers = fc.tuple(
  ...IDS.map((id) =>
    fc.record({
      id: fc.constant(id),
      name: fc.constantFrom('github', 'files', 'web search'),
      instructions: text(4),
      tools: fc.uniqueArray(tool, { selector: ({ name }) => name, maxLength: 8 }),
    }),
  ),
)
const rule = fc.record({
  tenant: fc.constant('t'),
  servers: fc.oneof(fc.constant('all' as const), fc.subarray(IDS)),
  except: fc.array(
    fc.tuple(fc.constantFrom(...IDS), tool).map(([id, { name }]) => `${id}:${name}`),
    { maxLength: 3 },
  ),
  traits: fc.constantFrom({}, { readOnly: true as const }),
}) satisfies fc.Arbitrary<ToolRule>
const query = fc.oneof(text(4), fc.constantFrom('creat*', 'NOT file', 'server:github AND file', 'isue', 'wetter'))

describe('an index in a thread', () => {
  it('[U14] answers to the last bit as one on the main thread, with every strategy, rule and change', async () => {
    const [threaded, plain] = [indexOf('thread'), indexOf('main')]
    const asked = fc.record({
      servers,
      rule: fc.option(rule, { nil: undefined }),
      queries: fc.array(query, { minLength: 1, maxLength: 2 }),
      strategy: fc.constantFrom('bm25', 'hybrid', 'embeddings', 'lexical', 'regex', 'unheard-of'),
      maxResults: fc.integer({ min: 1, max: 9 }),
      explain: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(asked, async ({ servers: sketches, rule: within, strategy, ...request }) => {
        for (const index of [threaded, plain]) for (const sketch of sketches) index.put(serverOf(sketch))
        const expected = await plain.provider(strategy).search({ ...request, ...scopeOf(within, sketches) })
        const ruled: RuledSearchRequest = { ...request, ...(within && { rule: within }) }
        expect(await threaded.provider(strategy).search(ruled)).toEqual(expected)
        // Ids instead of a rule.
        const named = { ...request, ...scopeOf(within, sketches) }
        expect(await threaded.provider(strategy).search(named)).toEqual(expected)
      }),
      { numRuns: 150 },
    )
  })

  it('[U14] is saved and loaded by the thread', async () => {
    const big = serverOf({ id: 'big', tools: Array.from({ length: 1_200 }, (_, nth) => `create_issue_${nth}`) })
    const ask = async () => {
      const index = indexOf('thread')
      index.put(big)
      await index.warmUp(['bm25', 'cloud'])
      const answer = await index.provider('bm25').search({ queries: ['issue 17'], maxResults: 3, explain: true })
      await index.save()
      return answer
    }
    const built = await ask()
    expect(lines).toContain('built a search index')
    expect(readdirSync(join(folder, 'indexes'))).toHaveLength(1)
    lines = []
    expect(await ask()).toEqual(built)
    expect(lines).toContain('loaded a search index')
    expect(lines).not.toContain('built a search index')
  })

  it('[U14] is started before its last tools are there, and loads what it saved for all of them', async () => {
    const [big, late] = [1_200, 1].map((count, nth) =>
      serverOf({ id: `s${nth}`, tools: Array.from({ length: count }, (_, at) => `create_issue_${at}`) }),
    ) as [ReturnType<typeof serverOf>, ReturnType<typeof serverOf>]
    const ask = async () => {
      const index = indexOf('thread')
      index.expectSearches()
      index.put(big)
      await index.save()
      index.put(late)
      await index.warmUp(['bm25'])
      const answer = await index.provider('bm25').search({ queries: ['issue 0'], maxResults: 3 })
      await index.save()
      return answer
    }
    const built = await ask()
    expect(built.hits.map(({ id }) => id)).toContain('s1:create_issue_0')
    lines = []
    expect(await ask()).toEqual(built)
    expect(lines).toContain('loaded a search index')
    expect(lines).not.toContain('built a search index')
  })

  it('[U14] saves itself once its tools have not changed for a while', async () => {
    const index = indexOf('thread', {
      setup: { vectorsFolder: folder, indexes: { folder, version: '1' }, saveAfterMs: 1 },
    })
    index.put(serverOf({ id: 'big', tools: Array.from({ length: 1_200 }, (_, nth) => `create_issue_${nth}`) }))
    await index.warmUp(['bm25'])
    index.put(serverOf({ id: 'small', tools: ['late'] }))
    await expect.poll(() => readdirSync(folder)).toEqual([expect.stringMatching(/^bm25-.*\.index$/)])
  })

  it('is told a rule again that it has forgotten', async () => {
    const index = indexOf('thread', { setup: { vectorsFolder: folder, scopeBytes: 300_000 } })
    index.put(serverOf({ id: 's0', tools: ['read_file', 'write_file'] }))
    const ids = async (name: string) => {
      const found = { queries: ['file'], maxResults: 5, rule: RULES[name] as ToolRule }
      return (await index.provider('bm25').search(found)).hits.map(({ id }) => id)
    }
    const RULES: Record<string, ToolRule> = {
      read: { tenant: 'a', servers: ['s0'], except: ['s0:write_file'] },
      write: { tenant: 'b', servers: ['s0'], except: ['s0:read_file'] },
    }
    for (const _ of [1, 2]) {
      expect(await ids('read')).toEqual(['s0:read_file'])
      expect(await ids('write')).toEqual(['s0:write_file'])
    }
  })

  it('rejects with the reason of the caller who no longer waits', async () => {
    const index = indexOf('thread')
    index.put(serverOf({ id: 's0', tools: ['read_file'] }))
    const stop = new AbortController()
    const search = index.provider('bm25').search({ queries: ['file'], maxResults: 5, signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(search).rejects.toThrow('enough')
    await expect(index.provider('bm25').search({ queries: ['file'], maxResults: 5 })).resolves.toBeDefined()
  })
})

describe('a thread that breaks', () => {
  const program = new URL('./breakable-thread.case.ts', import.meta.url)

  it.each([
    ['crash', /ended unexpectedly/],
    ['fail', /out of luck/],
    ['hang', /silent for \d+ seconds/],
  ])('by a %s is replaced, and searches say so until the new one has all tools', async (how, reason) => {
    const index = indexOf('thread', { program, silentMs: 1_500, restartMs: 20 })
    index.put(serverOf({ id: 's0', tools: ['read_file'] }))
    const search = (query: string) => index.provider('bm25').search({ queries: [query], maxResults: 5 })
    const expected = await search('file')
    const unavailable = { code: 'SEARCH_UNAVAILABLE', details: { reason: expect.stringMatching(reason) as string } }
    await expect(search(how)).rejects.toMatchObject(unavailable)
    await expect(search('file')).rejects.toMatchObject(unavailable)
    index.put(serverOf({ id: 's1', tools: ['read_mail'] }))
    await expect.poll(async () => (await search('read_mail')).hits[0]?.id).toBe('s1:read_mail')
    index.remove('s1')
    expect(await search('file')).toEqual(expected)
    expect(lines.join('\n')).toMatch(/the search thread ended; searches fail until a new one has all tools/)
  })
})

function scopeOf(rule: ToolRule | undefined, sketches: readonly ServerSketch[]): { within?: ToolScope } {
  if (rule === undefined) return {}
  const isAllowed = allowedByRule(rule)
  const tools = sketches.flatMap((sketch) => [...serverOf(sketch).tools.values()])
  const allowed = tools.filter(({ key, definition }) =>
    isAllowed({ id: key, server: serverOfSearched(key), traits: traitsOf(definition) }),
  )
  return { within: new ToolScope(allowed.map(({ key }) => key)) }
}
