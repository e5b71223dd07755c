import { beforeAll, describe, expect, it } from 'vitest'
import { repositoryFiles } from '../repository-files.ts'
import { type Walk, walkAll, type WalkedFiles, WALKS } from './walks.ts'

describe('npm run walk', () => {
  let walked: ReadonlyMap<Walk, WalkedFiles>
  beforeAll(async () => {
    walked = await walkAll(1)
  })

  it('reports every walk', () => {
    expect([...walked.keys()]).toEqual(WALKS)
  })

  it.each(WALKS)('names the source files that one warm request runs through: %s', (walk) => {
    const sources = new Set(
      repositoryFiles((path) => /^packages\/[^/]+\/src\/.+\.ts$/.test(path)).map(({ path }) => path),
    )
    const files = [...(walked.get(walk)?.keys() ?? [])]
    expect(files.length).toBeGreaterThan(5)
    expect(files.filter((file) => !sources.has(file))).toEqual([])
  })

  it('tells the walks apart', () => {
    const files = (walk: Walk) => [...(walked.get(walk)?.keys() ?? [])].join('\n')
    expect(files('execute-stdio')).toContain('/servers/stdio/')
    expect(files('execute-stdio')).not.toContain('/servers/http/')
    expect(files('execute-http')).toContain('/servers/http/')
    expect(files('execute-http')).not.toContain('/servers/stdio/')
    expect(files('search')).toContain('packages/search/src/')
    expect(files('list')).not.toContain('packages/search/src/')
    expect(files('list-change')).toContain('/catalog/')
    expect(files('permission-change')).toContain('/store/')
  })
})
