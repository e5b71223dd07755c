import { appendFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { VectorFile, VectorFiles } from './vector-files.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tooldex-vectors-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const cache = (): VectorFiles => new VectorFiles({ folder: join(folder, 'vectors') })
const theFile = async (): Promise<string> => {
  const [name = ''] = await readdir(join(folder, 'vectors'))
  return join(folder, 'vectors', name)
}
const hashOf = (number: number): string => number.toString(16).padStart(32, '0')
const vectorOf = (number: number): Int8Array => Int8Array.of(number, -number, 127, -128)
const some = (...numbers: number[]): Map<string, Int8Array> =>
  new Map(numbers.map((number) => [hashOf(number), vectorOf(number)]))

describe('VectorFiles', () => {
  it('loads saved vectors after a restart, and only the requested ones', async () => {
    await cache().save('m', some(1, 2))
    await cache().save('m', some(3))
    expect(await cache().load('m', [1, 3, 4].map(hashOf))).toEqual(some(1, 3))
    expect(await cache().load('m', [])).toEqual(new Map())
  })

  it('loads its own saved vectors at once', async () => {
    const one = cache()
    expect(await one.load('m', [hashOf(1)])).toEqual(new Map())
    await Promise.all([one.save('m', some(1)), one.save('m', some(2, 1))])
    expect(await one.load('m', [1, 2].map(hashOf))).toEqual(some(1, 2))
  })

  it('writes nothing twice', async () => {
    const one = cache()
    await one.save('m', some(1, 2))
    const { size } = await stat(await theFile())
    await one.save('m', some(2, 1))
    await cache().save('m', some(1))
    expect((await stat(await theFile())).size).toBe(size)
  })

  it('never returns a vector of another embedder', async () => {
    await cache().save('http:a/b', some(1))
    for (const id of ['http:a_b', 'HTTP:a/b', '../../../x', '']) {
      expect(await cache().load(id, [hashOf(1)])).toEqual(new Map())
    }
    await cache().save('../../../x', some(2))
    expect(await readdir(folder)).toEqual(['vectors'])
  })

  it('survives a truncation at any byte, and appends after it', async () => {
    await cache().save('m', some(1, 2, 3))
    const whole = await readFile(await theFile())
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), async (length) => {
        await writeFile(await theFile(), whole)
        await truncate(await theFile(), length)
        const kept = await cache().load('m', [1, 2, 3].map(hashOf))
        for (const [hash, vector] of kept) expect(some(1, 2, 3).get(hash)).toEqual(vector)
        await cache().save('m', some(4))
        expect(await cache().load('m', [hashOf(4), ...kept.keys()])).toEqual(new Map([...kept, ...some(4)]))
      }),
      { numRuns: 20 },
    )
  })

  it('accepts a damaged vector again', async () => {
    await cache().save('m', some(1))
    const path = await theFile()
    await truncate(path, (await stat(path)).size - 6)
    const one = cache()
    expect(await one.load('m', [hashOf(1)])).toEqual(new Map())
    await one.save('m', some(1))
    expect(await cache().load('m', [hashOf(1)])).toEqual(some(1))
  })

  it('returns no vector whose bytes were changed', async () => {
    await cache().save('m', some(1, 2))
    const whole = await readFile(await theFile())
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const spoiled = Buffer.from(whole)
        spoiled[at] = (spoiled[at] ?? 0) ^ change
        await writeFile(await theFile(), spoiled)
        const loaded = await cache().load('m', [1, 2].map(hashOf))
        for (const [hash, vector] of loaded) expect(some(1, 2).get(hash)).toEqual(vector)
      }),
      { numRuns: 30 },
    )
  })

  it('ignores unreadable files, and reports the first problem', async () => {
    await writeFile(join(folder, 'vectors'), 'a file where the folder should be')
    const problems: unknown[] = []
    const broken = new VectorFiles({ folder: join(folder, 'vectors'), onProblem: (error) => problems.push(error) })
    await broken.save('m', some(1))
    await broken.save('m', some(2))
    expect(await broken.load('m', [hashOf(1)])).toEqual(new Map())
    expect(problems).toHaveLength(1)
  })
})

describe('VectorFile', () => {
  it('starts over when it has grown too large', async () => {
    const path = join(folder, 'x.vectors')
    await appendFile(path, 'x'.repeat(200))
    const file = new VectorFile(path, 100)
    await file.save(some(1))
    expect((await stat(path)).size).toBeLessThan(100)
    expect(await new VectorFile(path).load([hashOf(1)])).toEqual(some(1))
  })
})
