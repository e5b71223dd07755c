import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasCode } from '../errors.ts'
import { HybridProvider } from '../providers/hybrid/hybrid-provider.ts'
import { toyEmbedder } from '../providers/meaning/toy-embedder.case.ts'
import type { IndexedTool } from '../tool/tool.ts'
import { CatalogFigures } from './catalog-figures.ts'
import type { AnalysedTool, CatalogEngine, ToolRule, Wanted } from './catalog-engine.ts'
import { EngineSearch } from './engine-search.ts'
import { ToolAnalyser } from './tool-analyser.ts'
import { allowedByRule } from './tool-rule.ts'

/** How the contract is run on an engine. */
export interface EngineContract {
  /** Opens a new, empty engine that may write. */
  readonly open: () => Promise<CatalogEngine>
  /** Cases of each property; fewer for engines that write to a disk. */
  readonly runs: number
}

/** The embedder of the tools in the contract; engines that keep its id are opened with this one. */
export const contractEmbedder = toyEmbedder('toy', new Map([['memo', 'note']]))

/** All tools. */
export const EVERYTHING: ToolRule = { tenant: 'all', servers: 'all', except: [] }

/** A tool for tests. */
export function engineTool(
  server: string,
  name: string,
  description = '',
  more: Partial<IndexedTool> = {},
): IndexedTool {
  const own = { name, description, namespaceDescription: `All about ${server}`, ...more }
  return server === '' ? { id: name, ...own } : { id: `${server}:${name}`, namespace: server, ...own }
}

const TOOLS: readonly IndexedTool[] = [
  engineTool('github', 'create_issue', 'Create a new issue in a repository.'),
  engineTool('github', 'list_issues', 'List the issues of a repository.', { annotations: { readOnlyHint: true } }),
  engineTool('github', 'delete_branch', 'Delete a branch.', { annotations: { destructiveHint: true } }),
  engineTool('mail', 'send', 'Send a letter to somebody.', { annotations: { destructiveHint: false } }),
  engineTool("o'neil's", "say 'hello'", 'Greets "people", 100% of them; DROP TABLE tools --'),
  engineTool('ノート', 'メモを作る', 'Writes a note. メモを作成します。'),
  engineTool('', 'alone', 'Belongs to no server.'),
]

const nothing: Wanted = { words: [], vectors: [], names: [], prefixes: [] }
const said = (...stems: string[]): Wanted['words'] => stems.map((stem) => ({ stem, weight: 1, said: true, word: stem }))
const idsOf = (tools: readonly { readonly id: string }[]): string[] => tools.map(({ id }) => id).toSorted()

/** The contract of `CatalogEngine` as a suite: an engine is done when it passes. */
export function engineContract({ open, runs }: EngineContract): void {
  let engine: CatalogEngine
  const analyser = new ToolAnalyser(contractEmbedder)
  beforeEach(async () => {
    engine = await open()
  })
  afterEach(() => engine.close())

  const put = async (tools: readonly IndexedTool[], to: number, remove: readonly string[] = []): Promise<void> =>
    engine.apply({ from: await engine.revision(), to, put: await analyser.analyse(tools), remove })
  const found = async (wanted: Partial<Wanted>, rule = EVERYTHING, k = 3): Promise<string[]> => {
    const { tools } = await engine.candidates({ ...nothing, ...wanted }, rule, k)
    expect(tools.length).toBeLessThanOrEqual(k)
    expect(new Set(idsOf(tools)).size).toBe(tools.length)
    return idsOf(tools)
  }

  describe('changes', () => {
    it('begins empty, at revision 0', async () => {
      expect(await engine.revision()).toBe(0)
      const { revision, tools, complete } = await engine.candidates({ ...nothing, words: said('a') }, EVERYTHING, 9)
      expect({ revision, tools, complete }).toEqual({ revision: 0, tools: [], complete: true })
      expect(await engine.scope(EVERYTHING, 9)).toEqual([])
    })

    it('puts, replaces and removes, and has the revision of the last change', async () => {
      await put(TOOLS, 3)
      await put([engineTool('mail', 'send', 'Posts a parcel.')], 7, ['github:list_issues', 'no:such'])
      expect(await engine.revision()).toBe(7)
      const left = TOOLS.map(({ id }) => id).filter((id) => id !== 'github:list_issues')
      expect(idsOf((await engine.scope(EVERYTHING, 99)) ?? [])).toEqual(left.toSorted())
      expect(await found({ words: said('parcel') })).toContain('mail:send')
      const [sent] = (await engine.scope({ ...EVERYTHING, only: ['mail:send'] }, 9)) ?? []
      expect(sent).toEqual((await analyser.analyse([engineTool('mail', 'send', 'Posts a parcel.')]))[0])
    })

    it('takes a change over that it has already, without harm', async () => {
      const first = { from: 0, to: 2, put: await analyser.analyse(TOOLS), remove: [] }
      await engine.apply(first)
      const second = { from: 2, to: 3, put: [], remove: ['alone'] }
      await engine.apply(second)
      await engine.apply(second)
      await engine.apply(first)
      expect(await engine.revision()).toBe(3)
      expect(idsOf((await engine.scope(EVERYTHING, 99)) ?? [])).not.toContain('alone')
    })

    it('refuses a change that does not begin where it is', async () => {
      await put(TOOLS, 2)
      const gap = engine.apply({ from: 3, to: 4, put: [], remove: ['alone'] })
      await expect(gap).rejects.toMatchObject({ code: 'REVISION_GAP', details: { revision: 2, from: 3, to: 4 } })
      const overlap = engine.apply({ from: 1, to: 4, put: [], remove: ['alone'] })
      await expect(overlap).rejects.toMatchObject({ code: 'REVISION_GAP' })
      await expect(engine.apply({ from: 2, to: 2, put: [], remove: [] })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENTS',
      })
      expect(idsOf((await engine.scope(EVERYTHING, 99)) ?? [])).toContain('alone')
      expect(await engine.revision()).toBe(2)
    })

    it('takes a change over as a whole or not at all', async () => {
      await put(TOOLS, 1)
      const [good] = await analyser.analyse([engineTool('new', 'tool', 'zebra')])
      const bad = { ...(good as AnalysedTool), id: 'new:bad', terms: Uint8Array.of(1, 200) }
      const both = engine.apply({ from: 1, to: 2, put: [good as AnalysedTool, bad], remove: ['alone'] })
      await expect(both).rejects.toSatisfy((error) => hasCode(error, 'INVALID_SAVED_INDEX'))
      expect(await engine.revision()).toBe(1)
      expect(idsOf((await engine.scope(EVERYTHING, 99)) ?? [])).toEqual(idsOf(TOOLS))
      await put([engineTool('new', 'tool', 'zebra')], 2)
      expect(await found({ words: said('zebra') })).toContain('new:tool')
    })

    it('applies nothing once it was told to stop', async () => {
      const stopped = engine.apply({ from: 0, to: 1, put: [], remove: [] }, AbortSignal.abort(new Error('enough')))
      await expect(stopped).rejects.toThrow('enough')
      expect(await engine.revision()).toBe(0)
    })
  })

  describe('candidates', () => {
    beforeEach(() => put(TOOLS, 1))

    it('have the words that were said, and others that mean the same', async () => {
      expect(await found({ words: said('branch') })).toContain('github:delete_branch')
      expect(await found({ words: [{ stem: 'letter', weight: 0.3, said: false }] })).toContain('mail:send')
    })

    it('mean what was said in other words', async () => {
      const vectors = [contractEmbedder.embedNow('memo')]
      expect(await found({ vectors }, EVERYTHING, 1)).toEqual(['ノート:メモを作る'])
    })

    it('have the name that was said, though no word is known', async () => {
      expect(await found({ names: ['createissue', 'issue'] }, EVERYTHING, 1)).toEqual(['github:create_issue'])
      expect(await found({ names: ['sayhello'] }, EVERYTHING, 1)).toEqual(["o'neil's:say 'hello'"])
    })

    it('have words that begin as was said, and words that were misspelt', async () => {
      expect(await found({ prefixes: ['greet'] }, EVERYTHING, 1)).toEqual(["o'neil's:say 'hello'"])
      expect(await found({ words: said('brnach') }, EVERYTHING, 1)).toEqual(['github:delete_branch'])
    })

    it('are within the rule, whatever servers and tools are called', async () => {
      const all = { words: said('issu', 'creat', 'greet', 'note', 'send', 'belong') }
      for (const rule of RULES) {
        const allowed = TOOLS.map((tool) => ({ ...tool, server: tool.namespace ?? '' }))
        const [analysed] = [await analyser.analyse(TOOLS)]
        const expected = idsOf(analysed.filter(allowedByRule(rule)))
        expect(allowed.length).toBe(TOOLS.length)
        expect(await found(all, rule, 99)).toEqual(expected)
        expect(idsOf((await engine.scope(rule, 99)) ?? [])).toEqual(expected)
        for (const id of await found(all, rule, 2)) expect(expected).toContain(id)
      }
    })

    it('are complete where the rule leaves no more than was asked for', async () => {
      const rule = { ...EVERYTHING, servers: ['github'] }
      const answer = (k: number) => engine.candidates({ ...nothing, words: said('send') }, rule, k)
      expect(await answer(3)).toMatchObject({ complete: true, tools: { length: 3 } })
      expect(await answer(2)).toMatchObject({ complete: false })
    })

    it('of a narrow rule are all its tools, or none where there are too many', async () => {
      const rule = { ...EVERYTHING, servers: ['github'] }
      expect(idsOf((await engine.scope(rule, 3)) ?? [])).toHaveLength(3)
      expect(await engine.scope(rule, 2)).toBeUndefined()
    })

    it('are not looked for by an engine that is behind, or that was told to stop', async () => {
      await expect(engine.candidates(nothing, EVERYTHING, 1, { atLeast: 2 })).rejects.toMatchObject({
        code: 'SEARCH_UNAVAILABLE',
        details: { revision: 1, atLeast: 2 },
      })
      const stopped = engine.candidates(nothing, EVERYTHING, 1, { signal: AbortSignal.abort(new Error('enough')) })
      await expect(stopped).rejects.toThrow('enough')
      expect(await engine.candidates(nothing, EVERYTHING, 1, { atLeast: 1 })).toMatchObject({ revision: 1 })
    })
  })

  describe('statistics', () => {
    const wanted: Wanted = {
      ...nothing,
      words: said('creat', 'issu', 'file', 'nosuchword'),
      vectors: ['create issue', 'file'].map((text) => contractEmbedder.embedNow(text)),
    }

    it('after any changes are those of the tools that are left', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ put: catalog, remove: fc.boolean() }), { maxLength: 4 }),
          async (steps) => {
            const own = await open()
            const left = new Map<string, AnalysedTool>()
            for (const [nth, step] of steps.entries()) {
              const remove = step.remove ? [...left.keys()].filter((_, place) => place % 2 === 0) : []
              const analysed = await analyser.analyse(step.put)
              for (const id of remove) left.delete(id)
              for (const tool of analysed) left.set(tool.id, tool)
              await own.apply({
                from: nth,
                to: nth + 1,
                put: analysed,
                remove: remove.filter((id) => !idsOf(analysed).includes(id)),
              })
              if (nth === 1) await own.tend()
            }
            const figures = new CatalogFigures()
            for (const tool of left.values()) figures.add(tool)
            const { statistics, tools } = await own.candidates(wanted, EVERYTHING, 99)
            expect(idsOf(tools)).toEqual(idsOf([...left.values()]))
            const expected = figures.statisticsFor(wanted, figures.lookUps(wanted), tools)
            expect(statistics.words).toEqual(expected.words)
            for (const part of ['tools', 'servers'] as const) {
              for (const [nth, value] of (expected.meaning?.[part].covariances ?? []).entries()) {
                expect(statistics.meaning?.[part].covariances[nth]).toBeCloseTo(value, 9)
              }
            }
            await own.close()
          },
        ),
        { numRuns: runs },
      )
    })
  })

  describe('a search', () => {
    it('with complete candidates is that of an index of just these tools, to the last digit', async () => {
      const search = (own: CatalogEngine) => new EngineSearch(own, { embedder: contractEmbedder })
      await fc.assert(
        fc.asyncProperty(catalog, query, fc.boolean(), async (tools, text, narrow) => {
          const own = await open()
          await own.apply({ from: 0, to: 1, put: await analyser.analyse(tools), remove: [] })
          const rule = narrow ? { ...EVERYTHING, servers: ['github', 'files'] } : EVERYTHING
          const provider = new HybridProvider([contractEmbedder])
          const visible = tools.filter(({ namespace = '' }) => !narrow || rule.servers.includes(namespace))
          provider.apply({ added: visible, changed: [], removed: [] })
          const request = { queries: text, maxResults: 10 }
          const { hits } = await search(own).search({ ...request, rule })
          expect(hits).toEqual((await provider.search(request)).hits)
          await own.close()
        }),
        { numRuns: 2 * runs },
      )
    })

    it('goes on while the engine is tended', async () => {
      await put(TOOLS, 1)
      const search = new EngineSearch(engine, { embedder: contractEmbedder, candidates: 3 })
      const ask = async () =>
        (await search.search({ queries: ['delete a branch'], maxResults: 1, rule: EVERYTHING })).hits[0]?.id
      const [, ...answers] = await Promise.all([engine.tend(), ask(), ask(), ask()])
      expect([...answers, await ask()]).toEqual(Array.from({ length: 4 }, () => 'github:delete_branch'))
    })
  })
}

const RULES: readonly ToolRule[] = [
  EVERYTHING,
  { ...EVERYTHING, servers: ['github', "o'neil's"] },
  { ...EVERYTHING, servers: ['ノート', "x' OR '1' = '1"] },
  { ...EVERYTHING, servers: [] },
  { ...EVERYTHING, only: ["o'neil's:say 'hello'", 'alone', 'no:such'] },
  { ...EVERYTHING, only: [] },
  { ...EVERYTHING, except: ["o'neil's:say 'hello'", 'github:create_issue'] },
  { ...EVERYTHING, traits: { readOnly: true } },
  { ...EVERYTHING, servers: ['mail', 'github'], traits: { notDestructive: true } },
]

const word = fc.constantFrom('create', 'issue', 'file', 'list', 'mail', 'weather', 'query', 'note', 'memo', 'delete')
const words = fc.array(word, { minLength: 1, maxLength: 5 })
const tool = fc
  .record({ server: fc.constantFrom('github', 'mail', 'files', ''), name: words, description: words })
  .map(({ server, name, description }) => engineTool(server, name.join('_'), `${description.join(' ')}. More.`))
const catalog = fc.uniqueArray(tool, { selector: ({ id }) => id, minLength: 1, maxLength: 25 })
const phrase = fc.oneof(
  words.map((some) => some.join(' ')),
  fc.constantFrom(
    'craete isue',
    'create_issue',
    'file* NOT mail',
    '"create issue"',
    'list files. then mail the weather report',
  ),
)
const query = fc.array(phrase, { minLength: 1, maxLength: 2 })
