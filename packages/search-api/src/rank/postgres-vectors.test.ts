import { describe, expect, it } from 'vitest'
import type { Database } from '../database.ts'
import { PostgresVectors } from './postgres-vectors.ts'

type Answer = Awaited<ReturnType<Database['query']>>
const NO_ROWS: Answer = { rows: [] }

/** A scripted database that records its queries. */
function database(answer: (text: string, nth: number) => Answer | Error) {
  const asked: { text: string; values: readonly unknown[] }[] = []
  const query: Database['query'] = async (text, values = []) => {
    const answered = answer(text, asked.push({ text, values }))
    if (answered instanceof Error) throw answered
    return answered
  }
  return { asked, vectors: new PostgresVectors({ query }) }
}

const isCreate = (text: string): boolean => text.includes('create table')

describe('PostgresVectors', () => {
  it('creates its table once', async () => {
    const { asked, vectors } = database(() => NO_ROWS)
    await vectors.load('e', ['a'])
    await vectors.save('e', new Map([['a', new Int8Array([1])]]))
    expect(asked.map(({ text }) => isCreate(text))).toEqual([true, false, false])
  })

  it('retries to create its table after a failure', async () => {
    const { asked, vectors } = database((_, nth) => (nth === 1 ? new Error('starting up') : NO_ROWS))
    await expect(vectors.load('e', ['a'])).rejects.toThrow('starting up')
    expect(await vectors.load('e', ['a'])).toEqual(new Map())
    expect(asked.filter(({ text }) => isCreate(text))).toHaveLength(2)
  })

  it('reads signed bytes back and skips other values', async () => {
    const rows = [
      { hash: 'a', vector: Buffer.from([1, 255, 128]) },
      { hash: 'b', vector: 'text' },
      { hash: 7, vector: Buffer.from([1]) },
      {},
    ]
    const { vectors } = database((text) => (isCreate(text) ? NO_ROWS : { rows }))
    expect(await vectors.load('e', ['a', 'b'])).toEqual(new Map([['a', new Int8Array([1, -1, -128])]]))
  })

  it('writes the bytes of each vector, in the order of the hashes', async () => {
    const { asked, vectors } = database(() => NO_ROWS)
    const both = new Int8Array([9, -1, 2, 9]).subarray(1, 3)
    await vectors.save(
      'e',
      new Map([
        ['b', both],
        ['a', new Int8Array([5])],
      ]),
    )
    expect(asked[1]?.values).toEqual(['e', ['a', 'b'], [Buffer.from([5]), Buffer.from([255, 2])]])
  })
})
