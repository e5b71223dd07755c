import type { AuditEntry, ChainLink, ChainMark } from '../model/audit.ts'
import { CHAIN_START, hasOwnQueries, isLinked } from './audit-chain.ts'

/** An entry with its place in the chain. */
export type ChainedEntry = AuditEntry & { readonly chain: ChainLink }

/** A problem of a chain. */
export type ChainFinding =
  /** Entries that the chain must have; `after` is the last one before them. */
  | {
      readonly problem: 'missing'
      readonly from: number
      readonly to: number
      readonly after?: ChainedEntry | undefined
    }
  /** The content of the entry does not fit its hash and that of the previous one. */
  | { readonly problem: 'changed'; readonly entry: ChainedEntry }
  /** The query texts are not those that were recorded. */
  | { readonly problem: 'queries-changed'; readonly entry: ChainedEntry }
  /** The entry is not where its sequence number places it. */
  | { readonly problem: 'moved'; readonly entry: ChainedEntry }
  | { readonly problem: 'repeated'; readonly entry: ChainedEntry }

/** Hashes of entries that are kept for entries out of order. */
const MOST_HASHES = 10_000
const MOST_FINDINGS = 1_000

interface Gap {
  from: number
  readonly to: number
  readonly after: ChainedEntry | undefined
}

/**
 * Checks the entries of one chain, in the order of recording. The order is that of the sequence numbers; times play no part,
 * so that a clock that goes back breaks nothing.
 */
export class ChainVerifier {
  readonly findings: ChainFinding[] = []
  readonly #isWhole: boolean
  readonly #hashes = new Map<number, string>()
  #gaps: Gap[] = []
  #last: ChainedEntry | undefined
  /** Undefined until the first entry of a log file, whose earlier ones may be in another file. */
  #expected: number | undefined
  /** Entries whose hash was checked. */
  checked = 0
  /** Entries whose previous entry is not there, so that their hash cannot be checked. */
  unchecked = 0

  /**
   * @param isWhole false for a selection of entries, in which none is missed
   * @param start the last entry before the first one; without it, the first entry decides
   */
  constructor({ isWhole, start }: { readonly isWhole: boolean; readonly start?: ChainMark }) {
    this.#isWhole = isWhole
    this.#expected = start === undefined ? undefined : start.seq + 1
    this.#keep(start ?? CHAIN_START)
  }

  note(entry: ChainedEntry): void {
    const { chain } = entry
    if (this.#isWhole && !this.#isInOrder(entry)) return
    const previous = this.#hashes.get(chain.seq - 1)
    if (previous === undefined) this.unchecked += 1
    else if (isLinked(previous, entry, chain)) this.checked += 1
    else this.#found({ problem: 'changed', entry })
    if (!hasOwnQueries(entry, chain)) this.#found({ problem: 'queries-changed', entry })
    this.#keep(chain)
  }

  /**
   * Ends the check. @param head the last entry that must be there
   * @param start the start of the chain now; entries up to it may be missing
   */
  end(head?: ChainMark, start?: ChainMark): void {
    if (!this.#isWhole) return
    const next = this.#expected ?? 1
    if (head !== undefined && head.seq >= next) this.#missed(next, head.seq)
    const last = head === undefined ? undefined : this.#hashes.get(head.seq)
    if (last !== undefined && last !== head?.hash && this.#last?.chain.seq === head?.seq && this.#last !== undefined) {
      this.#found({ problem: 'changed', entry: this.#last })
    }
    const removed = start?.seq ?? 0
    for (const { from, to, after } of this.#gaps) {
      if (to > removed) this.#found({ problem: 'missing', from: Math.max(from, removed + 1), to, after })
    }
  }

  /** Whether the entry may be checked; notes gaps before it. */
  #isInOrder(entry: ChainedEntry): boolean {
    const { seq } = entry.chain
    const next = this.#expected ?? seq
    if (seq >= next) {
      if (seq > next) this.#missed(next, seq - 1)
      this.#expected = seq + 1
      this.#last = entry
      return true
    }
    const gap = this.#gaps.find(({ from, to }) => from <= seq && seq <= to)
    this.#found({ problem: gap === undefined ? 'repeated' : 'moved', entry })
    if (gap === undefined) return false
    const { from, to, after } = gap
    const parts = [
      { from, to: seq - 1, after },
      { from: seq + 1, to, after: entry },
    ]
    this.#gaps = this.#gaps.flatMap((each) => (each === gap ? parts.filter((part) => part.from <= part.to) : [each]))
    return true
  }

  #missed(from: number, to: number): void {
    if (this.#gaps.length < MOST_FINDINGS) this.#gaps.push({ from, to, after: this.#last })
  }

  #found(finding: ChainFinding): void {
    if (this.findings.length < MOST_FINDINGS) this.findings.push(finding)
  }

  #keep({ seq, hash }: ChainMark): void {
    this.#hashes.set(seq, hash)
    for (const oldest of this.#hashes.keys()) {
      if (this.#hashes.size <= MOST_HASHES) break
      this.#hashes.delete(oldest)
    }
  }
}
