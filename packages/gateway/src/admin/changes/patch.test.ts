import { SAME_SETTINGS } from '@tooldex/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { patched, patchedServer } from './patch.ts'

const names = [...SAME_SETTINGS.flat(), 'other']
const settings = fc.dictionary(fc.constantFrom(...names), fc.constantFrom(1, null, true), { maxKeys: 4 })

describe('patched', () => {
  it('sets the given keys, keeps the others, and never has a setting under two names', () => {
    fc.assert(
      fc.property(settings, fc.constantFrom(...names), fc.subarray(names), (before, name, unset) => {
        const after = patched(before, { [name]: 'new', unset })
        expect(after).toMatchObject({ [name]: 'new' })
        const group = SAME_SETTINGS.find((each) => each.includes(name)) ?? [name]
        for (const other of group) if (other !== name) expect(after).not.toHaveProperty(other)
        for (const [key, value] of Object.entries(before)) {
          const isKept = !group.includes(key) && !unset.includes(key)
          if (isKept) expect(after).toHaveProperty(key, value)
          else if (key !== name) expect(after).not.toHaveProperty(key)
        }
      }),
    )
  })

  it('changes nothing for an empty patch or undefined values', () => {
    const config = { name: 'a', strategy: null }
    expect(patched(config, {})).toEqual(config)
    expect(patched(config, { name: undefined, strategy: undefined })).toEqual(config)
  })
})

describe('patchedServer', () => {
  it('replaces a command by a URL and back, and keeps the keys that both have', () => {
    const program = {
      command: 'x',
      args: ['y'],
      env: { A: 'b' },
      cwd: '/',
      type: 'stdio',
      name: 'n',
      limits: { a: 1, b: 2 },
    }
    const address = patchedServer(program, { url: 'http://x', headers: { C: 'd' }, limits: { b: 3 } })
    expect(address).toEqual({ url: 'http://x', headers: { C: 'd' }, name: 'n', limits: { a: 1, b: 3 } })
    expect(patchedServer(address, { command: 'x' })).toEqual({ command: 'x', name: 'n', limits: { a: 1, b: 3 } })
    expect(patchedServer({ command: 'x', disabled: true }, { enabled: true })).toEqual({ command: 'x', enabled: true })
  })
})
