import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalogLines, loadTools, originalId, replicate } from './catalog.ts'

const row = (name: string, extra: object = {}) =>
  JSON.stringify({ id: 'ignored', name, server: 'github', description: `About ${name}`, ...extra })

describe('replicate', () => {
  const lines = [
    row('a', { inputSchema: { type: 'object' }, source: 'x' }),
    row('b'),
    row('a', { description: 'Other' }),
  ]

  it('takes the first distinct tools as they are', () => {
    expect(replicate(lines, 2)).toEqual([
      { id: 'github:a', name: 'a', server: 'github', description: 'About a', inputSchema: { type: 'object' } },
      { id: 'github:b', name: 'b', server: 'github', description: 'About b' },
    ])
  })

  it('repeats the catalog per tenant, with a suffix on server and id', () => {
    const tools = replicate(lines, 5)
    expect(tools.map((tool) => tool.id)).toEqual(['github:a', 'github:b', 'github-t2:a', 'github-t2:b', 'github-t3:a'])
    expect(tools[4]).toMatchObject({ name: 'a', server: 'github-t3', description: 'About a' })
    expect(tools[2]?.inputSchema).not.toBe(tools[0]?.inputSchema)
  })

  it('names the line that is not a tool', () => {
    expect(() => replicate([row('a'), '{'], 2)).toThrow('Line 2 of the catalog is not a JSON object')
    expect(() => replicate(['[]'], 1)).toThrow('Line 1 of the catalog is not a JSON object')
    expect(() => replicate([row('a'), '{"name":3}'], 2)).toThrow('Line 2 of the catalog is not a tool')
  })
})

describe('originalId', () => {
  it('is the same for all copies of a tool', () => {
    expect(originalId('github-t12:a')).toBe('github:a')
    expect(originalId('github:run-t2')).toBe('github:run-t2')
  })
})

describe('catalogLines', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'bench-catalog-'))
    writeFileSync(join(folder, 'tools-2.jsonl'), `${row('c')}\n`)
    writeFileSync(join(folder, 'tools-1.jsonl'), `${row('a')}\n\n${row('b')}`)
    writeFileSync(join(folder, 'meta.json'), '{}')
    writeFileSync(join(folder, 'empty.txt'), '')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('reads a file, or all .jsonl files of a folder in name order', () => {
    expect(catalogLines(join(folder, 'tools-2.jsonl'))).toEqual([row('c')])
    expect(loadTools(folder, 3).map((tool) => tool.name)).toEqual(['a', 'b', 'c'])
  })

  it('names the missing part', () => {
    expect(() => catalogLines(join(folder, 'nowhere'))).toThrow('No such file or folder')
    expect(() => catalogLines(join(folder, 'empty.txt'))).toThrow('No tools in')
  })
})
