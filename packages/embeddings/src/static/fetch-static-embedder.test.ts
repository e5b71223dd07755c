import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fetchStaticEmbedder } from './fetch-static-embedder.ts'

const SMALL = new URL('../../table/small.bin', import.meta.url)
const answering = (status: number, bytes: Uint8Array) => async () => ({
  ok: status === 200,
  status,
  arrayBuffer: async () => Uint8Array.from(bytes).buffer,
})

describe('fetchStaticEmbedder', () => {
  it('makes an embedder of the fetched table', async () => {
    const embedder = await fetchStaticEmbedder('https://example.com/t', { fetch: answering(200, readFileSync(SMALL)) })
    expect(embedder.embedNow('send an email')).toHaveLength(96)
  })

  it('names the URL and the remedy when the table is not there or is none', async () => {
    const url = 'https://example.com/t'
    await expect(fetchStaticEmbedder(url, { fetch: answering(404, new Uint8Array()) })).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      details: {
        table: url,
        reason: expect.stringContaining('status 404'),
        remedy: expect.stringContaining('small.bin'),
      },
    })
    const offline = () => Promise.reject(new Error('offline'))
    await expect(fetchStaticEmbedder(url, { fetch: offline })).rejects.toThrow('cannot be fetched: offline')
    const page = new TextEncoder().encode('<!doctype html> an error page of some kind')
    await expect(fetchStaticEmbedder(url, { fetch: answering(200, page) })).rejects.toThrow('it is not a table')
  })

  it('rejects with the reason of the signal', async () => {
    const signal = AbortSignal.abort(new Error('left'))
    const fetch = () => Promise.reject(new Error('aborted'))
    await expect(fetchStaticEmbedder('https://example.com/t', { fetch, signal })).rejects.toThrow('left')
  })
})
