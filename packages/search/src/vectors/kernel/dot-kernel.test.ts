import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { dotKernel } from './dot-kernel.ts'
import { kernelFile } from './kernel-file.ts'

describe('the kernel that the library carries', () => {
  it('is what the build script makes', () => {
    const carried = readFileSync(new URL('../dot-kernel.generated.ts', import.meta.url), 'utf8')
    expect(carried).toBe(kernelFile(dotKernel()))
  })

  it('is a module of WebAssembly', () => {
    expect(WebAssembly.validate(Uint8Array.from(dotKernel()))).toBe(true)
  })
})
