import { isUtf8 } from 'node:buffer'

const EMPTY: Buffer = Buffer.alloc(0)
const MOST_BYTES_OF_A_SIGN = 4

/** Checks that bytes are UTF-8 as they pass by, wherever they are cut. */
export class Utf8Checker {
  /** A sign whose rest has not come yet. */
  #begun = EMPTY
  #isValid = true

  /** So far, and with nothing begun that is not ended. */
  get isValid(): boolean {
    return this.#isValid && this.#begun.length === 0
  }

  add(piece: Buffer): void {
    if (!this.#isValid) return
    let rest = piece
    if (this.#begun.length > 0) {
      const length = bytesOfSign(this.#begun[0] ?? 0)
      const wanted = length - this.#begun.length
      this.#begun = Buffer.concat([this.#begun, rest.subarray(0, wanted)])
      if (this.#begun.length < length) return
      this.#isValid = isUtf8(this.#begun)
      rest = rest.subarray(wanted)
    }
    // The bytes of a chunk are lent.
    this.#begun = Buffer.from(begunIn(rest))
    this.#isValid &&= isUtf8(rest.subarray(0, rest.length - this.#begun.length))
  }
}

/** The sign at the end of which only a beginning is there. */
function begunIn(bytes: Buffer): Buffer {
  const { length } = bytes
  for (let back = 1; back < MOST_BYTES_OF_A_SIGN && back <= length; back++) {
    const byte = bytes[length - back] ?? 0
    const isContinuation = byte >= 0x80 && byte < 0xc0
    if (!isContinuation) return bytesOfSign(byte) > back ? bytes.subarray(length - back) : EMPTY
  }
  return EMPTY
}

function bytesOfSign(lead: number): number {
  if (lead < 0xc0) return 1
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
}
