import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Keyring } from './keyring.ts'

/** The column, or the part of a file, that an encrypted value belongs to. It cannot be decrypted in any other place. */
export interface SecretPlace {
  readonly table: 'servers' | 'logins' | 'last-known'
  readonly row: string
  readonly column: string
}

const FORMAT = 'v1'
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts and decrypts values of the database. */
export class SecretBox {
  readonly #keys: Keyring

  constructor(keys: Keyring) {
    this.#keys = keys
  }

  /** `v1.<key id>.<nonce, tag and ciphertext>` */
  seal(value: unknown, place: SecretPlace): string {
    const key = this.#keys.current()
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, key.bytes, nonce).setAAD(nameOf(place))
    const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
    return `${FORMAT}.${key.id}.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')}`
  }

  /** Decrypts a value; undefined if its key is missing, or it was moved or modified. */
  open(sealed: string, place: SecretPlace): { readonly value: unknown } | undefined {
    const [format, keyId = '', body = ''] = sealed.split('.')
    const key = format === FORMAT ? this.#keys.find(keyId) : undefined
    if (key === undefined) return undefined
    const bytes = Buffer.from(body, 'base64url')
    try {
      const decipher = createDecipheriv(CIPHER, key.bytes, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(nameOf(place))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
      return { value: JSON.parse(text.toString('utf8')) }
    } catch {
      return undefined
    }
  }

  /** Whether a value is encrypted with the current key. */
  isCurrent(sealed: string): boolean {
    return sealed.split('.')[1] === this.#keys.current().id
  }
}

function nameOf({ table, row, column }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([table, row, column]))
}
