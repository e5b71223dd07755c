import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KeyFile, Keyring } from './keyring.ts'
import { SecretBox, type SecretPlace } from './secret-box.ts'

const PLACE: SecretPlace = { table: 'servers', row: 's', column: 'env' }

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooldex-keys-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const path = () => join(folder, 'data', 'secret.key')
const box = (given?: string) => new SecretBox(new Keyring(new KeyFile(path()), given))

describe('SecretBox', () => {
  it('decrypts its own values, also after a restart, and never exposes them', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string({ minLength: 8 })), (value) => {
        const sealed = box().seal(value, PLACE)
        expect(box().open(sealed, PLACE)).toEqual({ value: JSON.parse(JSON.stringify(value)) })
        for (const secret of Object.values(value)) expect(sealed).not.toContain(secret)
      }),
      { numRuns: 30 },
    )
    expect(box().seal('a', PLACE)).not.toBe(box().seal('a', PLACE))
  })

  it('refuses values that were moved or modified', () => {
    const keys = box()
    const sealed = keys.seal({ KEY: 'secret' }, PLACE)
    for (const other of [{ row: 'x' }, { column: 'headers' }, { table: 'logins' as const }]) {
      expect(keys.open(sealed, { ...PLACE, ...other })).toBeUndefined()
    }
    for (let at = 0; at < sealed.length; at++) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`
      // The last character of base64 may have unused bits.
      if (at === sealed.length - 1) continue
      expect(keys.open(changed, PLACE), `changed at ${at}`).toBeUndefined()
      expect(keys.open(sealed.slice(0, at), PLACE)).toBeUndefined()
    }
  })

  it('refuses values without their key, and does not replace the key', () => {
    const sealed = box().seal('secret', PLACE)
    const key = readFileSync(path(), 'utf8')
    rmSync(path())
    expect(box().open(sealed, PLACE)).toBeUndefined()
    expect(box('another key that is long').open(sealed, PLACE)).toBeUndefined()
    writeFileSync(path(), key)
    expect(box().open(sealed, PLACE)).toEqual({ value: 'secret' })
    expect(box('another key that is long').open(sealed, PLACE)).toEqual({ value: 'secret' })
  })
})

describe('Keyring', () => {
  it('creates a key on first use, readable by the owner only', () => {
    const keys = new Keyring(new KeyFile(path()))
    expect(() => statSync(path())).toThrow(/ENOENT/)
    const { id } = keys.current()
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    expect(new Keyring(new KeyFile(path())).current().id).toBe(id)
  })

  it('agrees with another gateway that creates the first key at the same time', () => {
    const [one, two] = [new Keyring(new KeyFile(path())), new Keyring(new KeyFile(path()))]
    expect(one.current().id).toBe(two.current().id)
  })

  it('encrypts with a new key after a rotation, still decrypts older values, and shares the key through the file', () => {
    const keys = new Keyring(new KeyFile(path()))
    const [ours, others] = [new SecretBox(keys), box()]
    const old = ours.seal(1, PLACE)
    keys.renew()
    const renewed = ours.seal(2, PLACE)
    expect(ours.isCurrent(old)).toBe(false)
    expect(ours.isCurrent(renewed)).toBe(true)
    expect(ours.open(old, PLACE)).toEqual({ value: 1 })
    expect(others.open(renewed, PLACE)).toEqual({ value: 2 })
  })

  it('prefers the first key of the environment to the file', () => {
    const [first, second] = ['a'.repeat(64), 'a passphrase of sixteen']
    const sealed = box(second).seal('x', PLACE)
    expect(box(`${first}, ${second}`).open(sealed, PLACE)).toEqual({ value: 'x' })
    expect(box(first).open(sealed, PLACE)).toBeUndefined()
    expect(() => statSync(path())).toThrow(/ENOENT/)
  })

  it.each(['', 'damaged'])('takes a file with the text %j for a lost key, and does not overwrite it', (text) => {
    const sealed = box().seal('secret', PLACE)
    writeFileSync(path(), text)
    expect(box().open(sealed, PLACE)).toBeUndefined()
    expect(() => box().seal('x', PLACE)).toThrow(expect.objectContaining({ code: 'SECRET_KEY_WRONG' }))
    expect(readFileSync(path(), 'utf8')).toBe(text)
  })

  it('refuses a key that is too short', () => {
    expect(() => box('short')).toThrow(expect.objectContaining({ code: 'SECRET_KEY_WRONG' }))
  })
})
