import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { IndexedTool } from '../../tool/tool.ts'
import { EmbeddingsProvider } from '../embeddings/embeddings-provider.ts'
import { HybridProvider } from '../hybrid/hybrid-provider.ts'
import { changeOf } from '../provider-contract-inputs.case.ts'
import { toyEmbedder } from './toy-embedder.case.ts'

// Words that share parts are near each other to the embedder, so that tools without a word of the query compete, too.
const WORDS = ['get', 'getter', 'file', 'files', 'filed', 'board', 'boarding', 'mail', 'mailing', 'zebra', 'invoice']
const word = fc.nat({ max: 1_000 }).map((pick) => WORDS[Math.floor((pick / 1_001) ** 2 * WORDS.length)] as string)
const text = (most: number) => fc.array(word, { minLength: 1, maxLength: most }).map((words) => words.join(' '))
const TOOLS = fc.array(
  fc.record({ name: text(2), server: fc.constantFrom('boards', 'mail', 'files', undefined), description: text(6) }),
  { minLength: 80, maxLength: 300, size: 'max' },
)

function toolsOf(drawn: readonly { name: string; server: string | undefined; description: string }[]): IndexedTool[] {
  return drawn.map(({ name, server, description }, i) => ({
    id: `${server ?? ''}:${(i * 7) % 401}`,
    name: name.replaceAll(' ', '_'),
    description,
    ...(server !== undefined && { namespace: server }),
  }))
}

describe('search by meaning', () => {
  it.each([
    ['hybrid', () => new HybridProvider([toyEmbedder()])],
    ['embeddings', () => new EmbeddingsProvider([toyEmbedder()])],
  ] as const)('of %s ranks the best as if it ranked all, to the last bit, within filters as well', async (_, make) => {
    const [most, seldom] = [fc.integer({ min: 1, max: 150 }), fc.constantFrom(' quagga', ', and then list okapis', '')]
    await fc.assert(
      fc.asyncProperty(
        TOOLS,
        fc.tuple(text(5), seldom),
        most,
        fc.option(fc.func(fc.boolean())),
        async (drawn, parts, maxResults, chosen) => {
          const tools = toolsOf(drawn)
          const provider = make()
          provider.apply(changeOf({ added: tools }))
          const within = new Set(tools.filter(({ id }) => chosen?.(id) ?? true).map(({ id }) => id))
          const request = { queries: [parts.join('')], ...(chosen !== null && { within }) }
          const all = await provider.search({ ...request, maxResults: tools.length })
          const best = await provider.search({ ...request, maxResults })
          expect(best.hits).toEqual(all.hits.slice(0, maxResults))
        },
      ),
      // Shrinking catalogs of this size takes minutes and shows no smaller failure.
      { numRuns: 100, endOnFailure: true },
    )
  })
})
