const [QUOTE, BACKSLASH, COLON, COMMA, MINUS, PLUS, DOT, ZERO, NINE] = [
  0x22, 0x5c, 0x3a, 0x2c, 0x2d, 0x2b, 0x2e, 0x30, 0x39,
] as const
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d] as const
const [SMALL_U, SMALL_E, BIG_E] = [0x75, 0x65, 0x45] as const
const FIRST_PRINTABLE = 0x20
/** Deeper nesting counts as wrong here and is left to JSON.parse. */
const MOST_DEPTH = 512
const ESCAPES = new Set([...'"\\/bfnrt'].map((sign) => sign.charCodeAt(0)))
const LITERALS = new Map(['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]))

/** The next expected token: between values, within a word, or within a number, in this order. */
const STATE = {
  value: 0,
  firstItem: 1,
  firstKey: 2,
  key: 3,
  colon: 4,
  afterValue: 5,
  done: 6,
  wrong: 7,
  string: 8,
  escape: 9,
  hex: 10,
  literal: 11,
  minus: 12,
  zero: 13,
  integer: 14,
  dot: 15,
  fraction: 16,
  exponent: 17,
  exponentSign: 18,
  exponentDigits: 19,
} as const

const MAY_END_NUMBER: ReadonlySet<number> = new Set([STATE.zero, STATE.integer, STATE.fraction, STATE.exponentDigits])

/** Deeper levels are not reported. */
const WATCHED_DEPTH = 2

/** Receives the structure of the outermost levels. Offsets count from the text's first byte. */
export interface JsonWatch {
  /** An object or array begins in the container at this depth; 0 is the outermost value. */
  readonly opened: (depth: number, offset: number, isObject: boolean) => void
  /** The container at this depth ended; the offset is the one after its last character. */
  readonly closed: (depth: number, offset: number) => void
  /** A key begins after its opening quote, or ends before its closing one. */
  readonly key: (depth: number, offset: number, isEnd: boolean) => void
}

/**
 * Checks JSON as it arrives, in constant memory: JSON.parse accepts everything that it accepts. It does not check that
 * the bytes are UTF-8.
 */
export class JsonChecker {
  readonly #watch: JsonWatch
  readonly #isObjectAt = new Uint8Array(MOST_DEPTH + 1)
  #depth = 0
  #state: number = STATE.value
  #isKey = false
  #hexLeft = 0
  #literal: Buffer | undefined
  #literalAt = 0
  #before = 0

  constructor(watch: JsonWatch) {
    this.#watch = watch
  }

  /** The outermost value is complete and valid. */
  get isDone(): boolean {
    return this.#state === STATE.done
  }

  get isWrong(): boolean {
    return this.#state === STATE.wrong
  }

  add(bytes: Buffer): void {
    const { length } = bytes
    let at = 0
    while (at < length && this.#state !== STATE.wrong) {
      const state = this.#state
      if (state === STATE.string) at = this.#string(bytes, at)
      else if (state < STATE.string) {
        const byte = bytes[at] ?? 0
        if (byte > FIRST_PRINTABLE || !isBlank(byte)) this.#sign(byte, this.#before + at)
        at++
      } else if (state < STATE.minus) this.#inWord(bytes[at++] ?? 0)
      else at = this.#number(bytes, at)
    }
    this.#before += length
  }

  /** Most of a large text is in strings, so this loop is the fast one. */
  #string(bytes: Buffer, from: number): number {
    const { length } = bytes
    let at = from
    let byte = 0
    while (at < length) {
      byte = bytes[at] ?? 0
      if (byte === QUOTE || byte === BACKSLASH || byte < FIRST_PRINTABLE) break
      at++
    }
    if (at === length) return at
    if (byte === BACKSLASH) this.#state = STATE.escape
    else if (byte !== QUOTE) this.#state = STATE.wrong
    else if (this.#isKey) {
      this.#state = STATE.colon
      if (this.#depth <= WATCHED_DEPTH) this.#watch.key(this.#depth, this.#before + at, true)
    } else this.#endValue()
    return at + 1
  }

  /** An escape, or one of the words of JSON. */
  #inWord(byte: number): void {
    switch (this.#state) {
      case STATE.escape:
        this.#hexLeft = 4
        this.#state = byte === SMALL_U ? STATE.hex : ESCAPES.has(byte) ? STATE.string : STATE.wrong
        return
      case STATE.hex:
        if (!isHex(byte)) this.#state = STATE.wrong
        else if (--this.#hexLeft === 0) this.#state = STATE.string
        return
      default:
        if (byte !== this.#literal?.[this.#literalAt++]) this.#state = STATE.wrong
        else if (this.#literalAt === this.#literal.length) this.#endValue()
    }
  }

  #sign(byte: number, offset: number): void {
    switch (this.#state) {
      case STATE.firstItem:
        return byte === CLOSE_ARRAY ? this.#close(offset) : this.#beginValue(byte, offset)
      case STATE.value:
        return this.#beginValue(byte, offset)
      case STATE.firstKey:
        return byte === CLOSE_OBJECT ? this.#close(offset) : this.#beginKey(byte, offset)
      case STATE.key:
        return this.#beginKey(byte, offset)
      case STATE.colon:
        this.#state = byte === COLON ? STATE.value : STATE.wrong
        return
      case STATE.afterValue: {
        const isObject = this.#isObjectAt[this.#depth] === 1
        if (byte === COMMA) this.#state = isObject ? STATE.key : STATE.value
        else if (byte === (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) this.#close(offset)
        else this.#state = STATE.wrong
        return
      }
      default:
        // Text after the end.
        this.#state = STATE.wrong
    }
  }

  #beginKey(byte: number, offset: number): void {
    this.#state = byte === QUOTE ? STATE.string : STATE.wrong
    this.#isKey = true
    if (byte === QUOTE && this.#depth <= WATCHED_DEPTH) this.#watch.key(this.#depth, offset + 1, false)
  }

  #beginValue(byte: number, offset: number): void {
    this.#isKey = false
    if (byte === QUOTE) this.#state = STATE.string
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#open(byte === OPEN_OBJECT, offset)
    else if (byte === MINUS) this.#state = STATE.minus
    else if (byte === ZERO) this.#state = STATE.zero
    else if (byte > ZERO && byte <= NINE) this.#state = STATE.integer
    else {
      this.#literal = LITERALS.get(byte)
      this.#literalAt = 1
      this.#state = this.#literal === undefined ? STATE.wrong : STATE.literal
    }
  }

  #open(isObject: boolean, offset: number): void {
    if (this.#depth === MOST_DEPTH) {
      this.#state = STATE.wrong
      return
    }
    if (this.#depth <= WATCHED_DEPTH) this.#watch.opened(this.#depth, offset, isObject)
    this.#depth++
    this.#isObjectAt[this.#depth] = isObject ? 1 : 0
    this.#state = isObject ? STATE.firstKey : STATE.firstItem
  }

  #close(offset: number): void {
    this.#depth--
    this.#endValue()
    if (this.#depth <= WATCHED_DEPTH) this.#watch.closed(this.#depth, offset + 1)
  }

  #endValue(): void {
    this.#state = this.#depth === 0 ? STATE.done : STATE.afterValue
  }

  /** Stops at the character after the number. */
  #number(bytes: Buffer, from: number): number {
    let state = this.#state
    for (let at = from; at < bytes.length; at++) {
      const next = nextInNumber(state, bytes[at] ?? 0)
      if (next === undefined) {
        if (MAY_END_NUMBER.has(state)) this.#endValue()
        else this.#state = STATE.wrong
        return at
      }
      state = next
    }
    this.#state = state
    return bytes.length
  }
}

function nextInNumber(state: number, byte: number): number | undefined {
  const isDigit = byte >= ZERO && byte <= NINE
  const isE = byte === SMALL_E || byte === BIG_E
  switch (state) {
    case STATE.minus:
      return byte === ZERO ? STATE.zero : isDigit ? STATE.integer : undefined
    case STATE.zero:
      return byte === DOT ? STATE.dot : isE ? STATE.exponent : undefined
    case STATE.integer:
      return isDigit ? STATE.integer : byte === DOT ? STATE.dot : isE ? STATE.exponent : undefined
    case STATE.dot:
      return isDigit ? STATE.fraction : undefined
    case STATE.fraction:
      return isDigit ? STATE.fraction : isE ? STATE.exponent : undefined
    case STATE.exponent:
      return isDigit ? STATE.exponentDigits : byte === PLUS || byte === MINUS ? STATE.exponentSign : undefined
    default:
      return isDigit ? STATE.exponentDigits : undefined
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function isHex(byte: number): boolean {
  const letter = byte | 0x20
  return (byte >= ZERO && byte <= NINE) || (letter >= 0x61 && letter <= 0x66)
}
