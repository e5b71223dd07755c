import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { VectorFile } from './vector-file.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooldex-vectors-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

it('keeps vectors across runs, and drops a truncated record', () => {
  const path = join(folder, 'vectors.bin')
  const first = new VectorFile(path, 2)
  first.add('one', Float32Array.of(1, 2))
  first.add('two', Float32Array.of(3, 4))
  first.close()
  const whole = statSync(path).size
  appendFileSync(path, 'half a record')

  const second = new VectorFile(path, 2)
  expect(statSync(path).size).toBe(whole)
  expect(second.get('one')).toEqual(Float32Array.of(1, 2))
  expect(second.get('three')).toBeUndefined()
  second.add('three', Float32Array.of(5, 6))
  second.close()

  const third = new VectorFile(path, 2)
  expect(['two', 'three'].map((text) => third.get(text))).toEqual([Float32Array.of(3, 4), Float32Array.of(5, 6)])
  third.close()
})
