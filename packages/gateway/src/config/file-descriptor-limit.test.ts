import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connectionsWithin, openFilesLimit } from './file-descriptor-limit.ts'

describe('connections and open files', () => {
  it.each([
    [10_000, 1_048_576, 10_000],
    [10_000, 4_096, 3_584],
    [10_000, 1_024, 512],
    [10_000, 256, 128],
    [100, 1_024, 100],
    [10_000, 1, 1],
  ])('of %i wished for, with %i files, there are %i: some files are for everything else', (wished, files, expected) => {
    expect(connectionsWithin(wished, files)).toBe(expected)
  })

  it('reads what the system says, and nothing where it does not', () => {
    const folder = mkdtempSync(join(tmpdir(), 'limits-'))
    const file = join(folder, 'limits')
    const told = (text: string): number | undefined => {
      writeFileSync(file, text)
      return openFilesLimit(file)
    }
    const head = 'Limit                     Soft Limit           Hard Limit           Units     \n'
    expect(told(`${head}Max open files            1024                 4096                 files     \n`)).toBe(1_024)
    expect(
      told(`${head}Max open files            unlimited            unlimited            files     \n`),
    ).toBeUndefined()
    expect(told('')).toBeUndefined()
    expect(openFilesLimit(join(folder, 'none'))).toBeUndefined()
    rmSync(folder, { recursive: true })
  })
})
