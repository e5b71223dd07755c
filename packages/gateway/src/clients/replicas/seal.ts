import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** The keys, the current one first: that one seals, all of them open. */
export type Keys = () => readonly Buffer[]

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Raised with every change of what is sealed. Other versions are not read. */
const VERSION = 1

/** Encrypts a value so that only gateways with the same key read it, and only for the same purpose. */
export function seal(value: unknown, purpose: string, keys: Keys): string {
  const [key] = keys()
  if (key === undefined) throw new Error('there is no key to seal with')
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(boundTo(VERSION, purpose))
  const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), text]).toString('base64url')
}

/** The value; undefined if it was sealed with another key, for another purpose or in another version, or was modified. */
export function unseal(sealed: string, purpose: string, keys: Keys): unknown {
  const bytes = Buffer.from(sealed, 'base64url')
  const textAt = 1 + NONCE_BYTES + TAG_BYTES
  if (bytes[0] !== VERSION || bytes.length <= textAt) return undefined
  for (const key of keys()) {
    try {
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(1, 1 + NONCE_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(boundTo(VERSION, purpose))
        .setAuthTag(bytes.subarray(1 + NONCE_BYTES, textAt))
      const text = Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()])
      return JSON.parse(text.toString('utf8'))
    } catch {
      // Sealed with another key.
    }
  }
  return undefined
}

/** A short name of a text that does not reveal it. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')
}

function boundTo(version: number, purpose: string): Buffer {
  return Buffer.from(`tooldex ${purpose} ${version}`)
}
