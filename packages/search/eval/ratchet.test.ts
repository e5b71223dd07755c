import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { describeDrift, fallen, type Floor, readRatchet, risen, withFloors, writeRatchet } from './ratchet.ts'

const at = (value: number): Floor => ({ recall5: value, ndcg10: value, mrr: value })
const bm25 = (floor: Floor) => new Map([['bm25', floor]])

describe('the ratchet', () => {
  it('forgives a fall within the tolerance only', () => {
    expect(fallen(bm25(at(0.8)), bm25(at(0.7985)))).toEqual([])
    const falls = fallen(bm25(at(0.8)), bm25({ ...at(0.8), mrr: 0.797 }))
    expect(falls.map(describeDrift)).toEqual(['bm25 mrr: floor 0.800, now 0.797'])
  })

  it('notices a figure that rose by more than 0.01', () => {
    expect(risen(bm25(at(0.8)), bm25(at(0.8095)))).toEqual([])
    expect(risen(bm25(at(0.8)), bm25({ ...at(0.8), ndcg10: 0.812 }))).toMatchObject([{ figure: 'ndcg10' }])
  })

  it('ignores a ranker that has no floor or was not measured', () => {
    expect(fallen(new Map(), bm25(at(0)))).toEqual([])
    expect(fallen(bm25(at(1)), new Map())).toEqual([])
  })

  it('rounds floors down and keeps those of other rankers', () => {
    const after = withFloors(new Map([['regex', at(0.1)]]), bm25(at(0.87699)))
    expect(after).toEqual(new Map([...new Map([['regex', at(0.1)]]), ...bm25(at(0.876))]))
  })

  it('is read as it was written, in order of name', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ratchet-'))
    try {
      const file = pathToFileURL(join(folder, 'ratchet.json'))
      writeRatchet(new Map([['regex', at(0.1)], ...bm25(at(0.9))]), file)
      expect(readRatchet(file)).toEqual(new Map([...bm25(at(0.9)), ['regex', at(0.1)]]))
      expect(readFileSync(file, 'utf8')).toMatch(/^\{\n {2}"bm25": \{ "recall5": 0\.9, .*\},\n {2}"regex"/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
