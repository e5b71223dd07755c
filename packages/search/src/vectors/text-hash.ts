import { codeUnitBytes, sipHash, SIPHASH_KEY_LENGTH } from '../siphash.ts'

/** Public on purpose: the hash names content, it does not protect it, and must be the same in every process. */
const KEYS = [new Uint8Array(SIPHASH_KEY_LENGTH), new Uint8Array(SIPHASH_KEY_LENGTH).fill(1)]

/** 128 bits in hexadecimal digits that name a list of texts. */
export function textHash(texts: readonly string[]): string {
  const bytes = codeUnitBytes(texts)
  return KEYS.flatMap((key) => {
    const { high, low } = sipHash(key, bytes)
    return [high, low].map((half) => half.toString(16).padStart(8, '0'))
  }).join('')
}
