import { createHash } from 'node:crypto'
import type { SearchApiToken } from '../options.ts'

/** Who asks. */
export interface Caller {
  /** Tells callers apart, for limits. Never the secret. */
  readonly id: string
  /** The project that it may search for; `*` = any. */
  readonly project: string
}

/** Finds tokens by their hash: nothing is compared that an attacker could choose, so time gives nothing away. */
export class Tokens {
  readonly #byHash: ReadonlyMap<string, SearchApiToken>
  readonly #now: () => number

  constructor(tokens: readonly SearchApiToken[], now: () => number) {
    this.#byHash = new Map(tokens.map((token) => [token.sha256.toLowerCase(), token]))
    this.#now = now
  }

  find(secret: string): Caller | undefined {
    const hash = createHash('sha256').update(secret, 'utf8').digest('hex')
    const token = this.#byHash.get(hash)
    if (token === undefined || (token.expiresAt !== undefined && token.expiresAt <= this.#now())) return undefined
    return { id: `token:${hash}`, project: token.project }
  }
}
