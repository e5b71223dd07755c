import { describe, expect, it, vi } from 'vitest'
import { ToolSearchError } from '../../errors.ts'
import type { SearchProvider, SearchRequest } from '../search-provider.ts'
import { LexicalProvider } from '../lexical/lexical-provider.ts'
import { describeSearchProvider } from '../provider-contract.case.ts'
import { changeOf, TOOLS } from '../provider-contract-inputs.case.ts'
import { FallbackProvider } from './fallback-provider.ts'

describeSearchProvider('FallbackProvider', () => new FallbackProvider([new LexicalProvider(), new LexicalProvider()]))

const unavailable = (reason: string) => new ToolSearchError('SEARCH_UNAVAILABLE', { reason })
const request: SearchRequest = { queries: ['issue'], maxResults: 3 }

function failing(strategy: string, error: unknown): SearchProvider {
  return { strategy, deterministic: true, apply: () => {}, search: () => Promise.reject(error) }
}

function answering(): LexicalProvider {
  const provider = new LexicalProvider()
  provider.apply(changeOf({ added: TOOLS }))
  return provider
}

describe('FallbackProvider', () => {
  it('answers with the next provider and reports which one could not, and why', async () => {
    const provider = new FallbackProvider([
      failing('cloud', unavailable('no connection')),
      failing('embeddings', unavailable('no model')),
      answering(),
    ])
    expect(provider.strategy).toBe('cloud')
    expect(await provider.search(request)).toEqual({
      ...(await answering().search(request)),
      answeredBy: 'lexical',
      degraded: { strategy: 'cloud', reason: 'no connection' },
    })
  })

  it('reports no others when the preferred provider answers', async () => {
    const provider = new FallbackProvider([answering(), failing('cloud', new Error('never asked'))])
    expect(await provider.search(request)).toEqual(await answering().search(request))
  })

  it('goes by the code, so that another copy of the error class is understood', async () => {
    const foreign = Object.assign(new Error('elsewhere'), { code: 'SEARCH_UNAVAILABLE' })
    const answer = await new FallbackProvider([failing('cloud', foreign), answering()]).search(request)
    expect(answer.degraded).toEqual({ strategy: 'cloud', reason: 'elsewhere' })
  })

  it.each([
    ['another code', new ToolSearchError('INVALID_ARGUMENTS')],
    ['an ordinary error', new TypeError('a defect')],
    ['no error at all', undefined],
  ])('leaves %s to the caller', async (_title, error) => {
    const outcome = new FallbackProvider([failing('cloud', error), answering()]).search(request)
    await expect(outcome).rejects.toBe(error)
  })

  it('is unavailable with every reason when all are', async () => {
    const provider = new FallbackProvider([
      failing('cloud', unavailable('down')),
      failing('bm25', unavailable('empty')),
    ])
    await expect(provider.search(request)).rejects.toMatchObject({
      code: 'SEARCH_UNAVAILABLE',
      details: { reason: 'cloud: down; bm25: empty' },
    })
  })

  it('tells of each provider that could not answer', async () => {
    const onUnavailable = vi.fn()
    const error = unavailable('down')
    await new FallbackProvider([failing('cloud', error), answering()], { onUnavailable }).search(request)
    expect(onUnavailable.mock.calls).toEqual([['cloud', error]])
  })

  it('never moves on after an abort, even where the provider takes it for an outage', async () => {
    const controller = new AbortController()
    const reason = new Error('the caller has gone')
    const cloud = failing('cloud', undefined)
    cloud.search = async () => {
      controller.abort(reason)
      throw unavailable('connection closed')
    }
    const next = answering()
    const asked = vi.spyOn(next, 'search')
    const outcome = new FallbackProvider([cloud, next]).search({ ...request, signal: controller.signal })
    await expect(outcome).rejects.toBe(reason)
    expect(asked).not.toHaveBeenCalled()
  })

  it('hands a change to all, and asks no more who could not take it', async () => {
    const broken = answering()
    broken.apply = () => {
      throw new Error('full')
    }
    const provider = new FallbackProvider([broken, new LexicalProvider()])
    provider.apply(changeOf({ added: TOOLS.slice(2) }))
    const answer = await provider.search({ queries: ['file'], maxResults: 3 })
    expect(answer).toEqual({
      hits: [],
      answeredBy: 'lexical',
      degraded: { strategy: 'lexical', reason: 'it could not take over a change of the tools' },
    })
  })

  it('is deterministic only when no other provider can answer', () => {
    expect(new FallbackProvider([answering()]).deterministic).toBe(true)
    expect(new FallbackProvider([answering(), answering()]).deterministic).toBe(false)
    expect(new FallbackProvider([{ ...failing('cloud', undefined), deterministic: false }]).deterministic).toBe(false)
  })

  it('keeps what a fallback inside has to report', async () => {
    const inner = new FallbackProvider([failing('cloud', unavailable('down')), answering()])
    const answer = await new FallbackProvider([inner, answering()]).search(request)
    expect(answer.degraded).toEqual({ strategy: 'cloud', reason: 'down' })
  })

  it('needs a provider', () => {
    expect(() => new FallbackProvider([])).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENTS' }))
  })
})
