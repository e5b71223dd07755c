import { codeUnitBytes, sipHash, SIPHASH_KEY_LENGTH } from '../siphash.ts'

/**
 * A frozen set of tool ids to search within. Equal scopes have equal fingerprints, in any order of ids.
 */
export class ToolScope {
  readonly #find: (() => Iterable<string>) | undefined
  #known: ReadonlySet<string> | undefined
  #fingerprint: string | undefined

  /** @param ids a function is called when the ids are first needed, which must not have changed by then */
  constructor(ids: Iterable<string> | (() => Iterable<string>)) {
    if (typeof ids === 'function') this.#find = ids
    else this.#known = new Set(ids)
  }

  get size(): number {
    return this.#ids.size
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  /** The ids, in no particular order. */
  ids(): Iterable<string> {
    return this.#ids.values()
  }

  get #ids(): ReadonlySet<string> {
    this.#known ??= new Set(this.#find?.())
    return this.#known
  }

  /** Identifies the set of ids; what a cursor is bound to. Computed at first use. */
  get fingerprint(): string {
    this.#fingerprint ??= fingerprintOf(this.#ids)
    return this.#fingerprint
  }
}

/** Public on purpose: fingerprints must agree between processes, and nothing is protected by them. */
const FINGERPRINT_KEY = new Uint8Array(SIPHASH_KEY_LENGTH)

/** Sums and exclusive-ors the hashes of the ids: both ignore order, so that no sort is needed. */
function fingerprintOf(ids: ReadonlySet<string>): string {
  let [highSum, lowSum, highXor, lowXor] = [0, 0, 0, 0]
  for (const id of ids) {
    const { high, low } = sipHash(FINGERPRINT_KEY, codeUnitBytes([id]))
    highSum = (highSum + high) >>> 0
    lowSum = (lowSum + low) >>> 0
    highXor ^= high
    lowXor ^= low
  }
  return [ids.size, highSum, lowSum, highXor >>> 0, lowXor >>> 0].map((part) => part.toString(36)).join('.')
}
