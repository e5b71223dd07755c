import type { RE2JS } from 're2js'

/** Patterns beyond this length are left to the server. */
const LONGEST_PATTERN = 1_000
/** Compiled patterns of all tools together. */
const MOST_PATTERNS = 256
/** The engine takes some 40 ns for each instruction and character in the worst case. */
const MATCHES_PER_STEP = 32
/** Of a pattern, and of each of its instructions and characters. */
const STEPS_TO_COMPILE = 400
const STEPS_OF_INSTRUCTION = 3
/** Characters that `\s` and `.` treat differently in the two engines. */
const READ_DIFFERENTLY = /[\v\r\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/u
/** The engine takes a reference to a named group for text. */
const NAMED_REFERENCE = '\\k'

/** Counts the steps of a check. @throws when there are too many */
export type Spend = (steps: number) => void

/** The engine was not loaded yet. */
export class EngineMissing extends Error {
  override readonly name = 'EngineMissing'
}

/**
 * The patterns of schemas, on an engine whose time grows with the text and not with the ways to match it. Gateways without
 * patterns do not load the engine.
 */
export class LinearPatterns {
  #engine: typeof RE2JS | undefined
  /** Least recently used first; null for a pattern that the engine cannot express. */
  readonly #compiled = new Map<string, RE2JS | null>()

  async load(): Promise<void> {
    this.#engine = (await import('re2js')).RE2JS
  }

  /** Whether the pattern occurs in the text; undefined if that cannot be said here. @throws EngineMissing before `load` */
  test(pattern: string, text: string, spend: Spend): boolean | undefined {
    const engine = this.#compile(pattern, spend)
    if (engine === null) return undefined
    spend(1 + (text.length * engine.programSize()) / MATCHES_PER_STEP)
    return READ_DIFFERENTLY.test(text) ? undefined : engine.matcher(text).find()
  }

  #compile(pattern: string, spend: Spend): RE2JS | null {
    const known = this.#compiled.get(pattern)
    if (known === undefined) {
      if (pattern.length > LONGEST_PATTERN) return null
      spend(STEPS_TO_COMPILE + pattern.length)
    }
    const engine = known === undefined ? this.#made(pattern) : known
    this.#compiled.delete(pattern)
    this.#compiled.set(pattern, engine)
    const [oldest] = this.#compiled.keys()
    if (this.#compiled.size > MOST_PATTERNS && oldest !== undefined) this.#compiled.delete(oldest)
    if (known === undefined && engine !== null) spend(engine.programSize() * STEPS_OF_INSTRUCTION)
    return engine
  }

  #made(pattern: string): RE2JS | null {
    if (this.#engine === undefined) throw new EngineMissing()
    if (pattern.includes(NAMED_REFERENCE)) return null
    try {
      // Only compiled: the engine reads some patterns that JSON Schema does not allow, in a sense of its own.
      void new RegExp(pattern, 'u')
      return this.#engine.compile(this.#engine.translateRegExp(pattern))
    } catch {
      return null
    }
  }
}
