// Just enough of the WebAssembly binary format for one module with one function. Names are those of the specification.

/** Bytes of instructions, nested as they were put together. */
export type Code = number | readonly Code[]

const I32 = 0x7f
const V128 = 0x7b
const NO_RESULT = 0x40
const SIMD = 0xfd

/** The instructions that the kernel needs, each as its bytes. */
export const op = {
  block: (...body: Code[]): Code => [0x02, NO_RESULT, body, 0x0b],
  loop: (...body: Code[]): Code => [0x03, NO_RESULT, body, 0x0b],
  brIf: (depth: number, condition: Code): Code => [condition, 0x0d, depth],
  br: (depth: number): Code => [0x0c, depth],
  get: (local: number): Code => [0x20, local],
  set: (local: number, value: Code): Code => [value, 0x21, local],
  i32: (value: number): Code => [0x41, signed(value)],
  lessThan: (a: Code, b: Code): Code => [a, b, 0x49],
  add: (a: Code, b: Code): Code => [a, b, 0x6a],
  isAbove: (a: Code, b: Code): Code => [a, b, 0x4a],
  shiftLeft: (a: Code, b: Code): Code => [a, b, 0x74],
  store: (address: Code, offset: number, value: Code): Code => [address, value, 0x36, 2, unsigned(offset)],
  zeros: [SIMD, 0x0c, new Array<number>(16).fill(0)] as Code,
  /** A floating-point number, twice. */
  doubles: (value: number): Code => {
    const two = new Uint8Array(Float64Array.of(value, value).buffer)
    return [SIMD, 0x0c, [...two]]
  },
  /** Sixteen bytes from `address + offset`. */
  load: (address: Code, offset: number): Code => [address, SIMD, 0x00, 0, unsigned(offset)],
  /** Eight bytes from `address + offset`, each widened to sixteen bits with its sign. */
  loadWidened: (address: Code, offset: number): Code => [address, SIMD, 0x01, 0, unsigned(offset)],
  /** Eight bytes from `address + offset`, twice. */
  loadTwice: (address: Code, offset: number): Code => [address, SIMD, 0x0a, 0, unsigned(offset)],
  storeVector: (address: Code, value: Code): Code => [address, value, SIMD, 0x0b, 0, 0],
  /** Sixteen of the bytes of two vectors, by their places in both. */
  shuffle: (a: Code, b: Code, bytes: readonly number[]): Code => [a, b, SIMD, 0x0d, bytes],
  lane: (vector: Code, lane: number): Code => [vector, SIMD, 0x1b, lane],
  addLanes: (a: Code, b: Code): Code => [a, b, SIMD, unsigned(0xae)],
  /** Products of eight pairs of 16-bit numbers, neighbours added: four 32-bit sums. */
  dotPairs: (a: Code, b: Code): Code => [a, b, SIMD, unsigned(0xba)],
  /** The first two 32-bit numbers as 64-bit floating-point ones, and back. */
  toDoubles: (vector: Code): Code => [vector, SIMD, unsigned(0xfe)],
  toNumbers: (vector: Code): Code => [vector, SIMD, unsigned(0xfc)],
  addDoubles: (a: Code, b: Code): Code => [a, b, SIMD, unsigned(0xf0)],
  multiplyDoubles: (a: Code, b: Code): Code => [a, b, SIMD, unsigned(0xf2)],
  floorDoubles: (vector: Code): Code => [vector, SIMD, unsigned(0x75)],
} as const

/** A function over 32-bit parameters without a result. */
export interface FunctionSource {
  readonly name: string
  readonly parameters: number
  /** Locals after the parameters: first 32-bit numbers, then vectors. */
  readonly numbers: number
  readonly vectors: number
  readonly body: Code
}

/** A module that exports one function and a memory named `memory`, which begins with one page. */
export function assembleModule({ name, parameters, numbers, vectors, body }: FunctionSource): Uint8Array {
  const locals = list([
    [unsigned(numbers), I32],
    [unsigned(vectors), V128],
  ])
  const code = bytesOf([locals, body, 0x0b])
  return Uint8Array.from(
    bytesOf([
      [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(1, list([[0x60, list(new Array<number>(parameters).fill(I32)), list([])]])),
      section(3, list([0])),
      section(5, list([[0x00, 1]])),
      section(
        7,
        list([
          [text('memory'), 0x02, 0],
          [text(name), 0x00, 0],
        ]),
      ),
      section(10, list([[unsigned(code.length), code]])),
    ]),
  )
}

function section(id: number, content: Code): Code {
  const bytes = bytesOf(content)
  return [id, unsigned(bytes.length), bytes]
}

function list(items: readonly Code[]): Code {
  return [unsigned(items.length), items]
}

function text(value: string): Code {
  return list(Array.from(value, (letter) => letter.charCodeAt(0)))
}

function bytesOf(code: Code): number[] {
  return typeof code === 'number' ? [code] : code.flatMap(bytesOf)
}

/** LEB128: seven bits to a byte, the lowest first. */
function unsigned(value: number): Code {
  const bytes: number[] = []
  for (let rest = value; ; ) {
    const low = rest & 0x7f
    rest >>>= 7
    if (rest === 0) return [...bytes, low]
    bytes.push(low | 0x80)
  }
}

function signed(value: number): Code {
  const bytes: number[] = []
  for (let rest = value; ; ) {
    const low = rest & 0x7f
    rest >>= 7
    const isLast = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)
    if (isLast) return [...bytes, low]
    bytes.push(low | 0x80)
  }
}
