import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { apiWith, post, problem, TOOLS } from '../ask.case.ts'

const MB = 1024 * 1024
const json = JSON.stringify({ query: ['weather'], tools: TOOLS })
const api = apiWith({ limits: { bodyBytes: MB } })
afterAll(() => api.close())

const encoded = (encoding: string) => ({ headers: { 'content-encoding': encoding } })
const PACKERS = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const

describe('a body', () => {
  it.each(PACKERS)('may be compressed with %s', async (encoding, pack) => {
    const packed = await post(api, pack(json), encoded(encoding))
    expect(packed.status).toBe(200)
    expect(packed.body).toEqual((await post(api, json)).body)
  })

  it.each(PACKERS)('that decompresses to more than the limit is refused: %s', async (encoding, pack) => {
    const bomb = pack(Buffer.alloc(8 * MB, ' '))
    expect(bomb.length).toBeLessThan(MB)
    expect(await problem(api, bomb, encoded(encoding))).toMatchObject({ status: 413, errors: [{ field: 'body' }] })
  })

  it('that is larger than the limit is refused, with and without Content-Length', async () => {
    const large = ' '.repeat(2 * MB)
    expect((await problem(api, large)).status).toBe(413)
    expect((await problem(api, large, { headers: { 'content-length': String(2 * MB) } })).status).toBe(413)
  })

  it('that does not match its Content-Encoding is refused', async () => {
    expect(await problem(api, json, encoded('gzip'))).toMatchObject({ status: 400, errors: [{ field: 'body' }] })
    const cut = gzipSync(json).subarray(0, 40)
    expect((await problem(api, cut, encoded('gzip'))).status).toBe(400)
  })

  it.each([['zstd'], ['gzip, br'], ['']])('in the encoding %j is refused', async (encoding) => {
    const { status, headers, body } = await post(api, json, encoded(encoding))
    if (encoding === '') return expect(status).toBe(415)
    expect([status, headers.get('accept-encoding')]).toEqual([415, 'gzip, deflate, br'])
    expect(body).toMatchObject({ errors: [{ field: 'Content-Encoding' }] })
  })

  it.each([['text/plain'], ['application/x-www-form-urlencoded'], ['application/jsonp']])(
    'of the type %s is refused',
    async (type) => {
      const told = await problem(api, json, { headers: { 'content-type': type } })
      expect(told).toMatchObject({ status: 415, errors: [{ field: 'Content-Type' }] })
    },
  )

  it('may declare its charset', async () => {
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' }
    expect((await post(api, json, { headers })).status).toBe(200)
  })
})
