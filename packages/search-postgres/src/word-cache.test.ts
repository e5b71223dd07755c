import { describe, expect, it } from 'vitest'
import type { Session } from './session.ts'
import { tablesOf } from './tables.ts'
import { WordCache } from './word-cache.ts'

/** A posting as the database packs it. */
function packed(...tools: number[]): Buffer {
  return Buffer.concat(
    tools.map((tool) => {
      const bytes = Buffer.alloc(24)
      bytes.writeBigInt64BE(BigInt(tool))
      for (const [nth, value] of [tool % 7, 100, 1, 3].entries()) bytes.writeInt32BE(value, 8 + 4 * nth)
      return bytes
    }),
  )
}

/** Says what it was asked for. Every term is in as many tools as it has letters. */
class Asked implements Pick<Session, 'rows'> {
  readonly terms: string[][] = []
  readonly servers: number[][] = []

  async rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    if (text.includes('server_postings')) return [{ term: 'said', server: 5, count: 2 }] as Row[]
    if (text.includes('string_agg')) {
      const terms = values[1] as string[]
      this.terms.push(terms)
      return terms
        .filter((term) => term !== 'none')
        .map((term) => ({ term, packed: packed(...Array.from(term, (_, nth) => 2 ** 33 + nth)) })) as Row[]
    }
    const numbers = values[0] as number[]
    this.servers.push(numbers)
    return numbers.map((number) => ({ number, own: number * 10, names: number })) as Row[]
  }
}

describe('WordCache', () => {
  const open = (most?: number) => ({
    session: new Asked() as Asked & Session,
    cache: new WordCache(1, tablesOf('s'), most),
  })

  it('reads what is packed, numbers beyond 32 bits included', async () => {
    const { session, cache } = open()
    const found = await cache.postings(session, 1, ['said', 'none'])
    expect(found.get('none')?.count).toBe(0)
    const { tools, frequencies, lengths, nameCounts, servers, said } = found.get('said') ?? {}
    expect([...(tools ?? [])]).toEqual([0, 1, 2, 3].map((nth) => 2 ** 33 + nth))
    expect([...(frequencies ?? [])]).toEqual([0, 1, 2, 3].map((nth) => (2 ** 33 + nth) % 7))
    expect([lengths, nameCounts, servers].map((each) => each?.[0])).toEqual([100, 1, 3])
    expect(said).toEqual(new Map([[5, 2]]))
  })

  it('asks once for a word of a version, and anew when something has changed', async () => {
    const { session, cache } = open()
    for (const version of [1, 1, 2, 2]) await cache.postings(session, version, ['a', 'none', 'a'])
    await cache.postings(session, 2, ['a', 'bb'])
    expect(session.terms).toEqual([['a', 'none'], ['a', 'none'], ['bb']])
  })

  it('leaves nothing behind of a search that began before the last change', async () => {
    const { session, cache } = open()
    await cache.postings(session, 2, ['a'])
    await cache.postings(session, 1, ['a', 'b'])
    await cache.postings(session, 2, ['a', 'b'])
    expect(session.terms).toEqual([['a'], ['a', 'b'], ['b']])
  })

  it('keeps what was asked for last, up to a size', async () => {
    const { session, cache } = open(75)
    for (const term of ['one', 'two', 'six', 'one', 'ten', 'one', 'two']) await cache.postings(session, 1, [term])
    expect(session.terms.flat()).toEqual(['one', 'two', 'six', 'ten', 'two'])
    const large = 'x'.repeat(90)
    expect((await cache.postings(session, 1, [large])).get(large)?.count).toBe(90)
  })

  it('asks once how long a server is', async () => {
    const { session, cache } = open()
    await cache.servers(session, 1, [3, 4, 3])
    expect((await cache.servers(session, 1, [4, 5])).get(5)).toEqual({ own: 50, names: 5 })
    await cache.servers(session, 2, [4])
    expect(session.servers).toEqual([[3, 4], [5], [4]])
  })
})
