import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type Behaviour, findsAll, send, sendResults, startScriptedService } from './scripted-service.case.ts'
import { ask, TOKEN, useCloud } from './use-cloud.case.ts'

const { service, clock, health, withSubstitute } = useCloud()

const redirectsTo =
  (url: string): Behaviour =>
  (_, res) =>
    send(res, 307, '', { location: url })
const streams = (res: ServerResponse, count: { bytes: number }): void => {
  const chunk = Buffer.alloc(64 * 1024, 0x20)
  const more = (): void => {
    while (!res.destroyed && count.bytes < 1024 ** 3) {
      count.bytes += chunk.length
      if (!res.write(chunk)) return void res.once('drain', more)
    }
    res.end()
  }
  more()
}

const FAULTS: [string, Behaviour, string][] = [
  ['a 500', (_, res) => send(res, 500, '{}'), 'answered with status 500'],
  ['a 503 in HTML', (_, res) => send(res, 503, '<html>', { 'content-type': 'text/html' }), 'answered with status 503'],
  ['a 401', (_, res) => send(res, 401, '{}'), 'answered with status 401; check searchApi.token'],
  ['a 403', (_, res) => send(res, 403, '{}'), 'not for this project'],
  ['a 404', (_, res) => send(res, 404, 'Not found'), 'check searchApi.url'],
  ['a 413', (_, res) => send(res, 413, '{}'), 'fewer or shorter tools'],
  ['a 429', (_, res) => send(res, 429, '{}', { 'retry-after': '3600' }), 'fewer requests'],
  ['a 204', (_, res) => res.writeHead(204).end(), 'not JSON'],
  ['HTML', (_, res) => send(res, 200, '<!doctype html>', { 'content-type': 'text/html' }), 'not JSON'],
  ['invalid JSON', (_, res) => send(res, 200, '{"results":[{"toolKey":'), 'not JSON'],
  ['JSON of another kind', (_, res) => send(res, 200, '{"hits":[]}'), 'not a search result'],
  ['a million brackets', (_, res) => send(res, 200, '['.repeat(1_000_000)), 'not JSON'],
  ['foreign keys only', (_, res) => sendResults(res, [{ toolKey: 'evil:tool', relevance: 1 }]), 'was not sent'],
  ['a connection that is cut', (_, res) => void res.socket?.destroy(), 'cannot be reached'],
  ['half an answer', (_, res) => void res.write('{"results":', () => res.socket?.destroy()), 'cannot be reached'],
  ['a redirect to itself', (asked, res) => redirectsTo(asked.path ?? '')(asked, res), 'where it redirects'],
  ['no answer in time', () => {}, 'did not answer within 100 ms'],
  ['an answer that never ends', (_, res) => void res.write(' '), 'did not answer within 100 ms'],
]

describe('a service that fails', () => {
  it.each(FAULTS)(
    '[R27] [R30] with %s is replaced by bm25, and not asked again after three failures',
    async (_title, behaviour, reason) => {
      service().behave(behaviour)
      const provider = withSubstitute({ timeoutMs: reason.includes('100 ms') ? 100 : 10_000 })
      for (let search = 1; search <= 5; search++) {
        const answer = await provider.search(ask({ projectId: 'work' }))
        expect(answer).toMatchObject({ answeredBy: 'bm25', degraded: { strategy: 'cloud' } })
        expect(answer.degraded?.reason).toContain(`the Search API at ${service().host}`)
        expect(answer.degraded?.reason).toContain(reason)
        expect(answer.hits[0]?.id).toContain('ssue')
        expect(JSON.stringify([answer, health()])).not.toContain(TOKEN)
      }
      expect(service().asked).toHaveLength(3)
    },
  )

  it('[R30] by being down is not waited for', async () => {
    await service().close()
    const provider = withSubstitute()
    for (let search = 1; search <= 4; search++) {
      expect((await provider.search(ask())).degraded?.reason).toContain('cannot be reached (ECONNREFUSED)')
    }
    expect(health()).toMatchObject({
      state: 'open',
      lastError: { reason: expect.stringContaining('ECONNREFUSED') },
    })
  })

  it('[R33] by answering with 1 GB is cut off', async () => {
    const count = { bytes: 0 }
    service().behave((_, res) => {
      res.writeHead(200)
      streams(res, count)
    })
    const answer = await withSubstitute({ timeoutMs: 30_000 }).search(ask())
    expect(answer.degraded?.reason).toContain('more than 4 MB')
    expect(count.bytes).toBeLessThan(64 * 1024 * 1024)
  })

  it('[R33] by packing much into little is cut off, too', async () => {
    const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024, 0x20))
    service().behave((_, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
    const answer = await withSubstitute({ timeoutMs: 30_000 }).search(ask())
    expect(answer.degraded?.reason).toContain('more than 4 MB')
  })

  it('by redirecting does not get the token or the tools sent elsewhere', async () => {
    const elsewhere = await startScriptedService()
    service().behave(redirectsTo(`${elsewhere.url}/catalog/search`))
    await withSubstitute().search(ask())
    expect(elsewhere.asked).toEqual([])
    await elsewhere.close()
  })

  it('[R30] is probed beside the searches, with nothing of theirs, and used again when it answers', async () => {
    service().behave((_, res) => send(res, 500, ''))
    const provider = withSubstitute()
    for (let search = 1; search <= 3; search++)
      await provider.search(ask({ queries: ['confidential'], projectId: 'work' }))
    expect(clock().waiting).toBe(1)
    const probed = async (): Promise<void> => {
      const before = service().asked.length
      clock().pass(3_000)
      while (service().asked.length === before) await new Promise((resolve) => setImmediate(resolve))
    }
    await probed()
    expect(JSON.parse(service().asked.at(-1)?.text ?? '')).toEqual({
      query: ['probe'],
      tools: [{ toolKey: 'tooldex:probe', toolName: 'probe', serverName: 'tooldex' }],
      maxResults: 1,
      projectId: 'work',
    })
    while (clock().waiting === 0) await new Promise((resolve) => setImmediate(resolve))
    expect((await provider.search(ask())).answeredBy).toBe('bm25')
    service().behave(findsAll)
    await probed()
    while (health()?.state === 'open') await new Promise((resolve) => setImmediate(resolve))
    expect(await provider.search(ask())).toMatchObject({ answeredBy: 'cloud', hits: [{}, {}, {}] })
    expect([health()?.state, clock().waiting]).toEqual(['answering', 0])
  })

  it('[R30] holds up no search while a probe waits', async () => {
    service().behave(() => {})
    const provider = withSubstitute({ timeoutMs: 100 })
    for (let search = 1; search <= 3; search++) await provider.search(ask())
    clock().pass(3_000)
    while (service().asked.length < 4) await new Promise((resolve) => setImmediate(resolve))
    // If the search waited, it would ask the service, too.
    expect((await provider.search(ask())).answeredBy).toBe('bm25')
    expect(service().asked).toHaveLength(4)
  })

  it('that refuses one project still answers another, and is asked again for the first after a pause', async () => {
    service().behave((asked, res) => (asked.body.projectId === 'work' ? send(res, 403, '{}') : findsAll(asked, res)))
    const provider = withSubstitute()
    const answeredBy = async (projectId: string) => (await provider.search(ask({ projectId }))).answeredBy
    for (let search = 1; search <= 4; search++) expect(await answeredBy('work')).toBe('bm25')
    expect(await answeredBy('home')).toBe('cloud')
    expect(service().asked).toHaveLength(4)
    service().behave(findsAll)
    expect(await answeredBy('work')).toBe('bm25')
    clock().pass(3_000)
    expect(await answeredBy('work')).toBe('cloud')
  })

  it('lets another trial of a refused project through when one was aborted', async () => {
    service().behave((_, res) => send(res, 403, '{}'))
    const provider = withSubstitute()
    for (let search = 1; search <= 3; search++) await provider.search(ask())
    clock().pass(3_000)
    const aborting = new AbortController()
    service().behave(() => aborting.abort(new Error('enough')))
    await expect(provider.search(ask({ signal: aborting.signal }))).rejects.toThrow('enough')
    service().behave(findsAll)
    expect((await provider.search(ask())).answeredBy).toBe('cloud')
  })

  it('never reveals its token, not even when the token cannot be sent', async () => {
    const provider = withSubstitute({ token: `${TOKEN}\nx` })
    const answer = await provider.search(ask())
    expect(answer.answeredBy).toBe('bm25')
    expect(JSON.stringify([answer, health()])).not.toContain(TOKEN)
  })
})
