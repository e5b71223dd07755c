import { hasCode } from '@tooldex/search'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Behaviour,
  type EmbeddingService,
  send,
  sendVectors,
  startEmbeddingService,
} from './embedding-service.case.ts'
import { HttpEmbedder, type HttpEmbedderOptions } from './http-embedder.ts'

const KEY = 'sk-very-secret'
const lengthOf = (vector: Float32Array | undefined): number => Math.hypot(...(vector ?? []))

let service: EmbeddingService
let waits: number[]
let now: number

beforeEach(async () => {
  service = await startEmbeddingService()
  waits = []
  now = 1_000_000
})
afterEach(() => service.close())

const embedder = (options: Partial<HttpEmbedderOptions> = {}): HttpEmbedder =>
  new HttpEmbedder(
    { url: service.url, model: 'm', apiKey: KEY, ...options },
    {
      now: () => now,
      random: () => 0.5,
      wait: async (ms, signal) => {
        signal.throwIfAborted()
        waits.push(ms)
      },
    },
  )

/** What an embedder failed with, after a check of what all failures have in common. */
async function failureOf(failing: HttpEmbedder, texts = ['a text']): Promise<string> {
  const error = await failing.embed(texts).then(
    () => expect.unreachable('it answered'),
    (reason: unknown) => reason,
  )
  expect(hasCode(error, 'EMBEDDER_FAILED')).toBe(true)
  const { message, details } = error as { message: string; details: { reason: string } }
  expect(message).toContain(service.host)
  expect(JSON.stringify([message, details])).not.toContain(KEY)
  return details.reason.replace(`the embedding service at ${service.host} `, '')
}

describe('HttpEmbedder', () => {
  it('asks for one vector per text and answers with unit vectors', async () => {
    const embedding = embedder()
    expect(embedding.dimensions).toBe(0)
    const vectors = await embedding.embed(['list files', 'delete'])
    expect(vectors.map((vector) => vector.length)).toEqual([3, 3])
    for (const vector of vectors) expect(lengthOf(vector)).toBeCloseTo(1, 6)
    expect(embedding.dimensions).toBe(3)
    expect(service.asked).toMatchObject([
      { path: '/v1/embeddings', authorization: `Bearer ${KEY}`, body: { model: 'm', input: ['list files', 'delete'] } },
    ])
  })

  it.each(['', '/', '/v1', '/v1/', '/v1/embeddings'])('completes an address that ends with "%s"', async (end) => {
    await embedder({ url: service.url + end }).embed(['x'])
    expect(service.asked[0]?.path).toBe('/v1/embeddings')
  })

  it.each(['nonsense', 'ftp://example.org', 'http://me:pass@example.org'])('refuses the address %s', (url) => {
    expect(() => embedder({ url })).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENTS' }))
  })

  it('names model, place and length in its id, and no key', () => {
    expect(embedder({ dimensions: 256 }).id).toBe(`http:${service.host}/v1/embeddings:m@256`)
    expect(embedder({ dimensions: 256 }).id).not.toBe(embedder({ dimensions: 128 }).id)
    expect(embedder({ model: 'n' }).id).not.toBe(embedder().id)
  })

  it('asks for the wanted length', async () => {
    await embedder({ dimensions: 3 }).embed(['x'])
    expect(service.asked[0]?.body.dimensions).toBe(3)
  })

  it('sends thousands of texts in batches and keeps their order', async () => {
    const texts = Array.from({ length: 100 }, (_, at) => 'x'.repeat(at + 1))
    const vectors = await embedder().embed(texts)
    expect(service.asked.map(({ body }) => body.input.length)).toEqual([32, 32, 32, 4])
    const alone = await embedder().embed([texts[77] ?? ''])
    expect(vectors[77]).toEqual(alone[0])
  })

  it('orders the answer by index', async () => {
    service.behave((_, res) =>
      send(
        res,
        200,
        JSON.stringify({
          data: [
            { index: 1, embedding: [0, 1] },
            { index: 0, embedding: [1, 0] },
          ],
        }),
      ),
    )
    expect(await embedder().embed(['a', 'b'])).toEqual([Float32Array.of(1, 0), Float32Array.of(0, 1)])
  })

  it('answers blank texts with zeros, without a request', async () => {
    const vectors = await embedder({ dimensions: 3 }).embed(['', ' \n'])
    expect(vectors).toEqual([new Float32Array(3), new Float32Array(3)])
    expect(service.asked).toEqual([])
    expect(await embedder({ dimensions: 3 }).embed([])).toEqual([])
  })

  it('embeds any text, in any script and with unpaired surrogates', async () => {
    const texts = [...fc.sample(fc.string({ unit: 'binary' }), { seed: 5, numRuns: 100 }), '\ud83d', '日本語', '']
    const vectors = await embedder({ dimensions: 3 }).embed(texts)
    expect(vectors.map((vector) => vector.length)).toEqual(texts.map(() => 3))
  })

  it('sends the beginning of a text of a megabyte', async () => {
    await embedder().embed(['x'.repeat(1_000_000)])
    expect(service.asked[0]?.body.input.map((sent) => sent.length)).toEqual([8_000])
  })

  it('retries transient failures, later each time', async () => {
    let count = 0
    service.behave(({ body }, res) => {
      count++
      if (count === 1) return send(res, 500, 'oops')
      if (count === 2) return void res.destroy()
      return sendVectors(
        res,
        body.input.map(() => [1]),
      )
    })
    expect(await embedder().embed(['x'])).toEqual([Float32Array.of(1)])
    expect(waits).toEqual([250, 500])
  })

  it('waits as long as an overloaded service asks', async () => {
    let count = 0
    service.behave((_, res) => (count++ === 0 ? send(res, 429, '{}', { 'retry-after': '7' }) : sendVectors(res, [[1]])))
    await embedder().embed(['x'])
    expect(waits).toEqual([7_000])
  })

  it('gives up after three attempts', async () => {
    service.behave((_, res) => send(res, 503, '<html>down</html>'))
    expect(await failureOf(embedder())).toBe('answered with status 503; look at its own log')
    expect(service.asked).toHaveLength(3)
  })

  it.each([
    [401, 'check `apiKey`'],
    [404, 'check `url`, and that it has the model "m"'],
    [400, 'check that "m" is an embedding model and that `dimensions` suits it'],
    [302, 'set `url` to where it redirects'],
  ])('does not retry after status %i', async (status, remedy) => {
    service.behave((_, res) => send(res, status, `{"error":"${KEY}"}`, { location: 'http://127.0.0.1:1/' }))
    expect(await failureOf(embedder())).toBe(`answered with status ${status}; ${remedy}`)
    expect(service.asked).toHaveLength(1)
  })

  it('reports an unreachable service', async () => {
    await service.close()
    expect(await failureOf(embedder())).toBe('cannot be reached (ECONNREFUSED); check that it runs there')
  })

  it('times out when a service hangs before or within its answer', async () => {
    service.behave(() => {})
    const late = 'did not answer within 30 ms; raise `timeoutMs` if the model is slow'
    expect(await failureOf(embedder({ timeoutMs: 30, attempts: 1 }))).toBe(late)
    service.behave((_, res) => void res.writeHead(200).write('{"data":['))
    expect(await failureOf(embedder({ timeoutMs: 30, attempts: 1 }))).toBe(late)
  })

  const vectorsOf =
    (...vectors: unknown[]): Behaviour =>
    (_, res) =>
      sendVectors(res, vectors)
  const NOT_NUMBERS = 'answered with a vector that is not a list of finite numbers'
  it.each<[string, Behaviour, string]>([
    ['HTML', (_, res) => send(res, 200, '<html></html>'), 'answered with something that is not JSON'],
    ['NaN', (_, res) => send(res, 200, '{"data":[{"embedding":[NaN]}]}'), 'answered with something that is not JSON'],
    ['null', (_, res) => send(res, 200, 'null'), 'answered without a list of vectors'],
    ['no vectors', vectorsOf(), 'answered with 0 vectors for 1 texts'],
    ['too many vectors', vectorsOf([1], [1]), 'answered with 2 vectors for 1 texts'],
    ['no numbers', vectorsOf(['1', null]), NOT_NUMBERS],
    ['infinite numbers', (_, res) => send(res, 200, '{"data":[{"embedding":[1e999]}]}'), NOT_NUMBERS],
    ['base64', vectorsOf('AACAPw=='), NOT_NUMBERS],
    ['an empty vector', vectorsOf([]), NOT_NUMBERS],
    ['another length than asked', vectorsOf([1, 2]), 'answered with vectors of 2 numbers instead of 3'],
    [
      'an index twice',
      (_, res) => send(res, 200, '{"data":[{"index":5,"embedding":[1,2,3]}]}'),
      'answered without a vector for text 1 of 1',
    ],
  ])('refuses %s', async (_name, behaviour, problem) => {
    service.behave(behaviour)
    expect((await failureOf(embedder({ dimensions: 3 }))).split(';')[0]).toBe(problem)
    expect(service.asked).toHaveLength(1)
  })

  it('refuses another length than before', async () => {
    const embedding = embedder()
    await embedding.embed(['x'])
    service.behave(vectorsOf([1, 2]))
    expect(await failureOf(embedding)).toContain('vectors of 2 numbers instead of 3')
    service.behave(vectorsOf([1, 2], [1, 2, 3]))
    expect(await failureOf(embedder(), ['a', 'b'])).toContain('vectors of 3 numbers instead of 2')
  })

  it('stops reading an endless answer', async () => {
    const megabyte = ' '.repeat(1024 * 1024)
    let sent = 0
    service.behave((_, res) => {
      res.on('error', () => {})
      const more = (): void => {
        while (!res.destroyed && sent < 1_000) {
          sent++
          if (!res.write(megabyte)) return void res.once('drain', more)
        }
      }
      more()
    })
    expect(await failureOf(embedder())).toMatch(/^answered with more than 32 MB;/)
    expect(sent).toBeLessThan(100)
  })

  it('copes with numbers of any size', async () => {
    service.behave(vectorsOf([1e308, -1e308], [0, 0], [1e-320, 0]))
    const vectors = await embedder().embed(['a', 'b', 'c'])
    expect(vectors.map(lengthOf).map((length) => Math.round(length * 1e6) / 1e6)).toEqual([1, 0, 1])
  })

  it('fails fast after three consecutive failures, then lets one trial through', async () => {
    const embedding = embedder({ attempts: 1 })
    service.behave((_, res) => send(res, 500, ''))
    for (let time = 0; time < 3; time++) await failureOf(embedding)
    expect(await failureOf(embedding)).toBe('failed 3 times in a row; it is asked again in 30 s')
    expect(service.asked).toHaveLength(3)
    now += 30_000
    const both = await Promise.all([failureOf(embedding), failureOf(embedding)])
    expect(service.asked).toHaveLength(4)
    expect(both[1]).toContain('failed 3 times in a row')
    service.behave(vectorsOf([1]))
    now += 30_000
    await embedding.embed(['x'])
    await embedding.embed(['x'])
    expect(service.asked).toHaveLength(6)
  })

  it('lets another trial through when one was aborted', async () => {
    const embedding = embedder({ attempts: 1 })
    service.behave((_, res) => send(res, 500, ''))
    for (let time = 0; time < 3; time++) await failureOf(embedding)
    now += 30_000
    const aborting = new AbortController()
    service.behave(() => aborting.abort(new Error('enough')))
    await expect(embedding.embed(['x'], { signal: aborting.signal })).rejects.toThrow('enough')
    service.behave(vectorsOf([1]))
    expect(await embedding.embed(['x'])).toHaveLength(1)
  })

  it('rejects with the reason of the signal, and does not count that as a failure', async () => {
    const embedding = embedder({ attempts: 1 })
    for (let time = 0; time < 5; time++) {
      const aborting = new AbortController()
      service.behave(() => aborting.abort(new Error('enough')))
      await expect(embedding.embed(['x'], { signal: aborting.signal })).rejects.toThrow('enough')
    }
    service.behave(vectorsOf([1]))
    expect(await embedding.embed(['x'])).toHaveLength(1)
    await expect(embedding.embed(['x'], { signal: AbortSignal.abort(new Error('early')) })).rejects.toThrow('early')
  })

  it('waits between attempts by the real clock, unless it is aborted', async () => {
    const aborting = new AbortController()
    service.behave((_, res) => {
      send(res, 429, '', { 'retry-after': '3600' })
      setImmediate(() => aborting.abort(new Error('enough')))
    })
    const embedding = new HttpEmbedder({ url: service.url, model: 'm' })
    await expect(embedding.embed(['x'], { signal: aborting.signal })).rejects.toThrow('enough')
  })

  it('aborts requests under way when it is closed', async () => {
    const embedding = embedder()
    service.behave(() => embedding.close())
    expect(await failureOf(embedding)).toBe('is no longer asked; the embedder was closed')
    expect(await failureOf(embedding)).toBe('is no longer asked; the embedder was closed')
  })
})
