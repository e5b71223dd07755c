import { isRecord, parseJson } from '@tooldex/http-kit/json'
import type { AuditEntry, ChainLink } from '../model/audit.ts'
import { EXPORT_VERSION, type ExportEnd, type ExportStart } from './audit-export-lines.ts'
import { type ChainedEntry, type ChainFinding, ChainVerifier } from './chain-verifier.ts'

/** A problem of a file or of one of its chains. */
export type AuditFinding =
  | ChainFinding
  /** A line that is no entry. */
  | { readonly problem: 'unreadable'; readonly line: number }
  /** The file ends in the middle; `entries` is how many it still has. */
  | { readonly problem: 'cut'; readonly entries: number }
  /** The last line counts other entries than there are. */
  | { readonly problem: 'miscounted'; readonly entries: number; readonly expected: number }
  /** An entry without a link after the chain began. */
  | { readonly problem: 'unchained'; readonly entry: AuditEntry }
  | { readonly problem: 'too-new'; readonly version: number }

/** The result of a check. */
export interface AuditVerification {
  readonly entries: number
  /** Entries whose content fits the chain. */
  readonly checked: number
  /** Entries whose previous entry is not in a selection, so that their hash could not be checked. */
  readonly unchecked: number
  /** Entries of releases without a chain. */
  readonly outside: number
  /** Whether the file has a selection of entries, in which missing ones cannot be noticed. */
  readonly isSelection: boolean
  readonly findings: readonly AuditFinding[]
}

type Line = Readonly<Record<string, unknown>>

const KINDS: ReadonlySet<unknown> = new Set(['search', 'call', 'change', 'refusal'])
const MOST_FINDINGS = 1_000
/** Processes that wrote to a log file. */
const MOST_WRITERS = 10_000

/** Checks an export, a log file or the output of `tooldex audit --json`. */
export async function verifyAudit(text: AsyncIterable<string>): Promise<AuditVerification> {
  const check = new FileCheck()
  for await (const line of linesOf(text)) check.take(line)
  return check.end()
}

class FileCheck {
  readonly #verifiers = new Map<string, ChainVerifier>()
  readonly #findings: AuditFinding[] = []
  #start: ExportStart | undefined
  #end: ExportEnd | undefined
  #line = 0
  #entries = 0
  #outside = 0
  #isDocument = false
  /** A line that is no JSON is the end of a cut file, unless another one follows. */
  #unreadable: number | undefined

  take(text: string): void {
    this.#line += 1
    if (text.trim() === '') return
    const line = parseJson(text)
    if (this.#unreadable !== undefined) this.#found({ problem: 'unreadable', line: this.#unreadable })
    this.#unreadable = isRecord(line) ? undefined : this.#line
    if (isRecord(line)) this.#takeLine(line)
    // The answer of `tooldex audit --json` is one line.
    else if (this.#line === 1 && text.startsWith('{"entries":')) this.#isDocument = true
  }

  end(): AuditVerification {
    const verifiers = [...this.#verifiers.values()]
    for (const verifier of verifiers) verifier.end(this.#start?.chain.head, this.#end?.chain.start)
    const isCut = this.#unreadable !== undefined || (this.#start !== undefined && this.#end === undefined)
    const findings = [...this.#findings, ...verifiers.flatMap((verifier) => verifier.findings)]
    // The entries that a cut has removed are missing at the end; the cut explains them.
    const explained = isCut ? findings.filter((finding) => !this.#isAtEnd(finding)) : findings
    const expected = this.#end?.entries
    return {
      entries: this.#entries,
      checked: sum(verifiers.map(({ checked }) => checked)),
      unchecked: sum(verifiers.map(({ unchecked }) => unchecked)),
      outside: this.#outside,
      isSelection: this.#isSelection,
      findings: [
        ...explained,
        ...(isCut ? [{ problem: 'cut', entries: this.#entries } as const] : []),
        ...(expected !== undefined && expected !== this.#entries && explained.length === 0
          ? [{ problem: 'miscounted', entries: this.#entries, expected } as const]
          : []),
      ].slice(0, MOST_FINDINGS),
    }
  }

  get #isSelection(): boolean {
    return this.#isDocument || (this.#start !== undefined && Object.keys(this.#start.filter).length > 0)
  }

  #isAtEnd(finding: AuditFinding): boolean {
    return finding.problem === 'missing' && finding.to === this.#start?.chain.head.seq
  }

  #takeLine(line: Line): void {
    if (isStart(line)) this.#begin(line)
    else if (isEnd(line)) this.#end = line
    else if (isEntry(line)) this.#takeEntry(line)
    else if (this.#line === 1 && Array.isArray(line['entries'])) this.#takeDocument(line['entries'])
    // A log file has lines that count entries which were lost before they were written.
    else if (line['kind'] !== 'gap') this.#found({ problem: 'unreadable', line: this.#line })
  }

  #begin(start: ExportStart): void {
    if (start.version > EXPORT_VERSION) this.#found({ problem: 'too-new', version: start.version })
    this.#start = start
  }

  #takeDocument(entries: readonly unknown[]): void {
    this.#isDocument = true
    for (const entry of entries) {
      if (isRecord(entry) && isEntry(entry)) this.#takeEntry(entry)
      else this.#found({ problem: 'unreadable', line: this.#line })
    }
  }

  #takeEntry(entry: ExportedEntry): void {
    this.#entries += 1
    const { chain } = entry
    if (chain === undefined) {
      this.#outside += 1
      if (this.#verifiers.size > 0 && !this.#isSelection) this.#found({ problem: 'unchained', entry })
      return
    }
    this.#verifierOf(chain.writer ?? '')?.note(entry as ChainedEntry)
  }

  #verifierOf(writer: string): ChainVerifier | undefined {
    const known = this.#verifiers.get(writer)
    if (known !== undefined || this.#verifiers.size >= MOST_WRITERS) return known
    // A log file has no start: it is renamed when it is full, so that its first entries may follow others.
    const start = this.#isSelection ? undefined : this.#start?.chain.start
    const verifier = new ChainVerifier({ isWhole: !this.#isSelection, ...(start !== undefined && { start }) })
    this.#verifiers.set(writer, verifier)
    return verifier
  }

  #found(finding: AuditFinding): void {
    if (this.#findings.length < MOST_FINDINGS) this.#findings.push(finding)
  }
}

type ExportedEntry = AuditEntry & { readonly chain?: ChainLink }

const isMark = (mark: unknown): boolean =>
  isRecord(mark) && Number.isSafeInteger(mark['seq']) && typeof mark['hash'] === 'string'

function isStart(line: Line): line is Line & ExportStart {
  const { kind, version, filter, chain } = line
  const hasEnds = isRecord(chain) && isMark(chain['start']) && isMark(chain['head'])
  return kind === 'export' && typeof version === 'number' && isRecord(filter) && hasEnds
}

function isEnd(line: Line): line is Line & ExportEnd {
  const { kind, entries, chain } = line
  return kind === 'end' && Number.isSafeInteger(entries) && isRecord(chain) && isMark(chain['start'])
}

function isEntry(line: Line): line is Line & ExportedEntry {
  const { kind, chain, changes = [] } = line
  const hasChanges = Array.isArray(changes) && changes.every(isRecord)
  return KINDS.has(kind) && (chain === undefined || isMark(chain)) && hasChanges
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

/** The lines of a text that arrives in pieces. */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of text) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
