// SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed hash of 64 bits, made for short messages. Every 64-bit word is two
// 32-bit halves, because JavaScript has fast integer arithmetic for no more.

/** A 128-bit key. */
export const SIPHASH_KEY_LENGTH = 16

/** The 64-bit hash as two unsigned 32-bit halves. */
export interface SipHash {
  readonly high: number
  readonly low: number
}

/** SipHash-2-4 of `message` under a key of 16 bytes. */
export function sipHash(key: Uint8Array, message: Uint8Array): SipHash {
  const state = initialState(key)
  const words = new DataView(message.buffer, message.byteOffset, message.byteLength)
  const wholeWords = message.length & ~7
  for (let at = 0; at < wholeWords; at += 8) {
    absorb(state, words.getInt32(at + 4, true), words.getInt32(at, true))
  }
  absorbTail(state, message, wholeWords)

  state[V2 + 1] = at(state, V2 + 1) ^ 0xff
  sipRounds(state, 4)
  return {
    high: (at(state, V0) ^ at(state, V1) ^ at(state, V2) ^ at(state, V3)) >>> 0,
    low: (at(state, V0 + 1) ^ at(state, V1 + 1) ^ at(state, V2 + 1) ^ at(state, V3 + 1)) >>> 0,
  }
}

/** Where the words of the state stand; the high half first, then the low half. */
const V0 = 0
const V1 = 2
const V2 = 4
const V3 = 6

function at(words: Int32Array, index: number): number {
  return words[index] as number
}

/** The constants spell "somepseudorandomlygeneratedbytes", as the definition wants it. */
function initialState(key: Uint8Array): Int32Array {
  const halves = new DataView(key.buffer, key.byteOffset, SIPHASH_KEY_LENGTH)
  const [low0, high0] = [halves.getInt32(0, true), halves.getInt32(4, true)]
  const [low1, high1] = [halves.getInt32(8, true), halves.getInt32(12, true)]
  const state = new Int32Array(8)
  state[V0] = 0x736f6d65 ^ high0
  state[V0 + 1] = 0x70736575 ^ low0
  state[V1] = 0x646f7261 ^ high1
  state[V1 + 1] = 0x6e646f6d ^ low1
  state[V2] = 0x6c796765 ^ high0
  state[V2 + 1] = 0x6e657261 ^ low0
  state[V3] = 0x74656462 ^ high1
  state[V3 + 1] = 0x79746573 ^ low1
  return state
}

function absorb(state: Int32Array, high: number, low: number): void {
  state[V3] = at(state, V3) ^ high
  state[V3 + 1] = at(state, V3 + 1) ^ low
  sipRounds(state, 2)
  state[V0] = at(state, V0) ^ high
  state[V0 + 1] = at(state, V0 + 1) ^ low
}

/** The last word: what is left of the message, and its length in the top byte. */
function absorbTail(state: Int32Array, message: Uint8Array, from: number): void {
  let high = message.length << 24
  let low = 0
  for (let i = from; i < message.length; i++) {
    const byte = message[i] as number
    const place = i - from
    if (place < 4) low |= byte << (8 * place)
    else high |= byte << (8 * (place - 4))
  }
  absorb(state, high, low)
}

function sipRounds(state: Int32Array, rounds: number): void {
  let [h0, l0, h1, l1] = [at(state, 0), at(state, 1), at(state, 2), at(state, 3)]
  let [h2, l2, h3, l3] = [at(state, 4), at(state, 5), at(state, 6), at(state, 7)]
  let high = 0
  for (let round = 0; round < rounds; round++) {
    l0 = (l0 + l1) | 0
    h0 = (h0 + h1 + carry(l0, l1)) | 0
    high = ((h1 << 13) | (l1 >>> 19)) ^ h0
    l1 = ((l1 << 13) | (h1 >>> 19)) ^ l0
    h1 = high
    high = l0
    l0 = h0
    h0 = high

    l2 = (l2 + l3) | 0
    h2 = (h2 + h3 + carry(l2, l3)) | 0
    high = ((h3 << 16) | (l3 >>> 16)) ^ h2
    l3 = ((l3 << 16) | (h3 >>> 16)) ^ l2
    h3 = high

    l0 = (l0 + l3) | 0
    h0 = (h0 + h3 + carry(l0, l3)) | 0
    high = ((h3 << 21) | (l3 >>> 11)) ^ h0
    l3 = ((l3 << 21) | (h3 >>> 11)) ^ l0
    h3 = high

    l2 = (l2 + l1) | 0
    h2 = (h2 + h1 + carry(l2, l1)) | 0
    high = ((h1 << 17) | (l1 >>> 15)) ^ h2
    l1 = ((l1 << 17) | (h1 >>> 15)) ^ l2
    h1 = high
    high = l2
    l2 = h2
    h2 = high
  }
  state[0] = h0
  state[1] = l0
  state[2] = h1
  state[3] = l1
  state[4] = h2
  state[5] = l2
  state[6] = h3
  state[7] = l3
}

/** The carry out of a 32-bit sum, given the sum and one of its parts. */
function carry(sum: number, part: number): number {
  return sum >>> 0 < part >>> 0 ? 1 : 0
}

/**
 * Texts as bytes, for hashing: each as its length and its UTF-16 code units, so that different lists never give the
 * same bytes and lone surrogates stay distinct (UTF-8 would fold them).
 */
export function codeUnitBytes(texts: readonly string[], firstByte = 0): Uint8Array {
  const bytes = new Uint8Array(texts.reduce((length, text) => length + 4 + 2 * text.length, 1))
  bytes[0] = firstByte
  let at = 1
  for (const text of texts) {
    for (let shift = 0; shift < 32; shift += 8) bytes[at++] = text.length >>> shift
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      bytes[at++] = unit
      bytes[at++] = unit >>> 8
    }
  }
  return bytes
}
