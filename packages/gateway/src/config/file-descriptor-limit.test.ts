import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connectionsWithin, fileDescriptorLimit } from './file-descriptor-limit.ts'

describe('the file descriptor limit', () => {
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

  it('is read from the system, and undefined if unknown', () => {
    const folder = mkdtempSync(join(tmpdir(), 'limits-'))
    const file = join(folder, 'limits')
    const limitOf = (text: string): number | undefined => {
      writeFileSync(file, text)
      return fileDescriptorLimit(file)
    }
    const head = 'Limit                     Soft Limit           Hard Limit           Units     \n'
    expect(limitOf(`${head}Max open files            1024                 4096                 files     \n`)).toBe(
      1_024,
    )
    expect(
      limitOf(`${head}Max open files            unlimited            unlimited            files     \n`),
    ).toBeUndefined()
    expect(limitOf('')).toBeUndefined()
    expect(fileDescriptorLimit(join(folder, 'none'))).toBeUndefined()
    rmSync(folder, { recursive: true })
  })
})
