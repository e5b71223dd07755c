import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quantise, inverseLength } from '../vectors/quantise.ts'
import { CatalogFigures } from './catalog-figures.ts'
import type { AnalysedTool, Wanted } from './catalog-engine.ts'
import { contractEmbedder, engineTool } from './engine-contract.case.ts'
import { ToolAnalyser } from './tool-analyser.ts'

const words = fc.array(fc.constantFrom('create', 'issue', 'file', 'list', 'mail'), { minLength: 1, maxLength: 4 })
const tool = fc
  .record({ server: fc.constantFrom('github', 'mail', ''), name: words, description: words })
  .map(({ server, name, description }) => engineTool(server, name.join('_'), description.join(' ')))
const catalog = fc.uniqueArray(tool, { selector: ({ id }) => id, minLength: 1, maxLength: 20 })
const vectors = ['create issue', 'list mail'].map((text) => contractEmbedder.embedNow(text))
const stems = ['creat', 'issu', 'file', 'github', 'nothing']
const wanted: Wanted = {
  words: stems.map((stem) => ({ stem, weight: 1, said: true, word: stem })),
  vectors,
  names: [],
  prefixes: [],
}

function figuresOf(tools: readonly AnalysedTool[]): CatalogFigures {
  const figures = new CatalogFigures()
  for (const one of tools) figures.add(one)
  return figures
}

const statistics = (figures: CatalogFigures, tools: readonly AnalysedTool[]) =>
  figures.statisticsFor(wanted, figures.lookUps(wanted), tools)

describe('the figures of a catalog', () => {
  it('are the same after they were saved and loaded', async () => {
    const analyser = new ToolAnalyser(contractEmbedder)
    await fc.assert(
      fc.asyncProperty(catalog, catalog, async (before, after) => {
        const [some, others] = [await analyser.analyse(before), await analyser.analyse(after)]
        const loaded = CatalogFigures.restore(figuresOf(some).save())
        expect(statistics(loaded, some)).toEqual(statistics(figuresOf(some), some))
        const fresh = others.filter(({ id }) => !some.some((one) => one.id === id))
        for (const one of fresh) loaded.add(one)
        expect(statistics(loaded, fresh).words).toEqual(statistics(figuresOf([...some, ...fresh]), fresh).words)
      }),
      { numRuns: 40 },
    )
  })

  it('have the mean and the spread of the cosines of all tools and servers', async () => {
    const analyser = new ToolAnalyser(contractEmbedder)
    await fc.assert(
      fc.asyncProperty(catalog, async (tools) => {
        const analysed = await analyser.analyse(tools)
        const { meaning } = statistics(figuresOf(analysed), analysed)
        const cosines = analysed.map(({ vector = new Int8Array(0) }) =>
          vectors.map((query) => cosine(quantise(query), vector)),
        )
        for (const [row] of vectors.entries()) {
          const own = cosines.map((one) => one[row] ?? 0)
          const mean = own.reduce((sum, value) => sum + value, 0) / own.length
          expect(meaning?.tools.means[row]).toBeCloseTo(mean, 2)
          const variance = own.reduce((sum, value) => sum + (value - mean) ** 2, 0) / own.length
          expect(meaning?.tools.covariances[3 * row]).toBeCloseTo(variance, 2)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('leave nothing behind of tools that are gone', async () => {
    const tools = await new ToolAnalyser(contractEmbedder).analyse([
      engineTool('github', 'create_issue', 'Create an issue'),
      engineTool('mail', 'list', 'List mail'),
    ])
    const figures = figuresOf(tools)
    for (const one of tools) figures.remove(one)
    expect(figures.count).toBe(0)
    expect(statistics(figures, []).words).toEqual(statistics(new CatalogFigures(), []).words)
  })

  it('look for the rarest words first, for those that are begun, and for what a typo may mean', async () => {
    const tools = await new ToolAnalyser().analyse([
      engineTool('a', 'one', 'common branch'),
      engineTool('b', 'two', 'common'),
      engineTool('c', 'three', 'common repository'),
    ])
    const asked = ['common', 'brnach'].map((word) => ({ stem: word, weight: 1, said: true, word }))
    const found = figuresOf(tools).lookUps({ words: asked, prefixes: ['repo'] })
    expect(found.map(({ stem }) => stem)).toEqual(['branch', 'repositori', 'common'])
  })
})

function cosine(a: Int8Array, b: Int8Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0) * inverseLength(a) * inverseLength(b)
}
