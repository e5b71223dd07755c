import { createHash, randomBytes, scryptSync } from 'node:crypto'
import { GatewayError } from '../../errors.ts'

/** A key for AES-256, known by what can be derived from it. */
export interface SecretKey {
  /** Says which key it is and nothing about it. */
  readonly id: string
  readonly bytes: Buffer
}

const KEY_BYTES = 32
const LEAST_CHARACTERS = 16

/** A key from nowhere. */
export function newSecretKey(): SecretKey {
  return keyOf(randomBytes(KEY_BYTES))
}

/** 32 bytes in hex or base64 are the key; of any other text it is derived. */
export function parseSecretKey(text: string): SecretKey {
  const given = text.trim()
  if (/^[0-9a-f]{64}$/i.test(given)) return keyOf(Buffer.from(given, 'hex'))
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(given)) return keyOf(Buffer.from(given, 'base64url'))
  if (given.length < LEAST_CHARACTERS) {
    throw new GatewayError('SECRET_KEY_WRONG', {
      reason: `a key has fewer than ${LEAST_CHARACTERS} characters (a comma separates keys)`,
      remedy: 'Take 32 random bytes, for example from `openssl rand -hex 32`.',
    })
  }
  return keyOf(scryptSync(given, 'tooldex secret key', KEY_BYTES))
}

/** The key as text, as `parseSecretKey` takes it. */
export function secretKeyText({ bytes }: SecretKey): string {
  return bytes.toString('base64url')
}

function keyOf(bytes: Buffer): SecretKey {
  const id = createHash('sha256').update('tooldex key id\0').update(bytes).digest('hex').slice(0, 12)
  return { id, bytes }
}
