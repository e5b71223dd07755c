import type { Steps } from '../in-slices.ts'
import {
  type Approved,
  type Pin,
  type PinChange,
  type PinnedKind,
  pinId,
  type PinTexts,
  type TrustMode,
} from '../model/pins.ts'
import { looseHints, newClaims, withKeptAnnotations, withoutClaims } from '../trust/annotations.ts'
import { type Definition, fingerprintOf } from '../trust/fingerprint.ts'
import { type HoldReason, judgeChange, judgeNew, type ScanDefinition } from '../trust/judge-change.ts'
import { stillFits } from '../trust/still-fits.ts'

/** What people decided about the changes of a server. */
export interface TrustPolicy {
  readonly mode: TrustMode
  /** Names of tools that some rule denies. */
  readonly denied: ReadonlySet<string>
}

/** What a review needs from outside. */
export interface ReviewParts {
  /** Looks for hostile text in a definition of a server. Loaded only if there is something to judge. */
  readonly scan: (serverId: string) => Promise<ScanDefinition>
  readonly now: () => number
}

/** A definition that waits for approval, or that a person refused. */
export interface HeldDefinition {
  readonly serverId: string
  readonly kind: PinnedKind
  readonly name: string
  readonly state: 'held' | 'blocked'
  /** Of the definition; an approval names it. */
  readonly hash: string
  readonly definition: Definition
  /** Absent if it is new. */
  readonly approved?: { readonly definition: Definition; readonly pin: Approved }
  /** Whether the approved definition is still in use. */
  readonly isServed: boolean
  readonly reasons: readonly HoldReason[]
  /** When the gateway first saw it. */
  readonly since: number
}

/** The definitions of one kind that may be served. */
export interface Reviewed {
  readonly served: ReadonlyMap<string, Definition>
  /** By name: those that are neither served as they are nor in an approved version. */
  readonly withheld: ReadonlyMap<string, HeldDefinition>
  /** Whether something is held only because the store could not be written; the list has to be reviewed again. */
  readonly isUnstored: boolean
}

/** More recorded changes of one definition within a day are held: it may alternate between two texts. */
const MOST_CHANGES = 5
const DAY_MS = 86_400_000
/** A server with more different definitions than this invents names; further ones are held. */
const MOST_PINS = 20_000

/** The definitions of one kind of a server. */
interface Subject {
  readonly serverId: string
  readonly kind: PinnedKind
  readonly entries: ReadonlyMap<string, Definition>
}

/** The outcome of a review, before anything is recorded. */
interface Judged {
  readonly served: Map<string, Definition>
  readonly withheld: Map<string, HeldDefinition>
  /** By pin id. */
  readonly held: Map<string, HeldDefinition>
  readonly changes: PinChange[]
}

type Texts = ReadonlyMap<string, PinTexts>

/** One review of all definitions of a kind. */
export class Review {
  readonly #parts: Pick<ReviewParts, 'now'>
  readonly #policy: TrustPolicy
  readonly #subject: Subject
  #scan: ScanDefinition = () => []
  #deniedTools: ReadonlyMap<string, Definition | undefined> | undefined

  constructor(parts: Pick<ReviewParts, 'now'>, policy: TrustPolicy, subject: Subject) {
    this.#parts = parts
    this.#policy = policy
    this.#subject = subject
  }

  /** The ids of pins whose texts the judgement needs, one definition in each step. */
  *neededTexts(pins: ReadonlyMap<string, Pin>): Steps<readonly string[]> {
    const { kind, entries } = this.#subject
    const needed = new Set<string>()
    let hasNew = false
    for (const [name, definition] of entries) {
      const id = pinId({ kind, name })
      const hash = pins.get(id)?.approved?.hash
      if (hash !== fingerprintOf(kind, definition)) needed.add(id)
      hasNew ||= hash === undefined
      yield
    }
    if (hasNew && kind === 'tool') for (const name of this.#policy.denied) needed.add(pinId({ kind, name }))
    return [...needed]
  }

  /** Judges one definition in each step. */
  *judge(
    pins: ReadonlyMap<string, Pin>,
    texts: Texts,
    before: ReadonlyMap<string, HeldDefinition> | undefined,
    scan: ScanDefinition,
  ): Steps<Judged> {
    this.#scan = scan
    const { kind, entries } = this.#subject
    const judged: Judged = { served: new Map(), withheld: new Map(), held: new Map(), changes: [] }
    const isFirst = !pins.has(pinId({ kind, name: '' }))
    // Servers may list tools only after a login, so that an empty list is no baseline.
    if (isFirst && MARKED.has(kind) && (kind !== 'tool' || entries.size > 0)) {
      judged.changes.push({ ...baseline(this.#subject, this.#parts.now()), expected: null })
    }
    let room = MOST_PINS - pins.size
    for (const [name, definition] of entries) {
      const id = pinId({ kind, name })
      const pin = pins.get(id)
      if (pin?.approved === undefined) {
        if (this.#judgeNew(judged, { name, definition, pin, isFirst, texts, before: before?.get(id), room })) room--
      } else if (pin.approved.hash === fingerprintOf(kind, definition)) {
        judged.served.set(name, withoutClaims(definition, pin.approved.claims ?? []))
      } else this.#judgeChange(judged, { name, definition, pin, texts, before: before?.get(id) })
      yield
    }
    return judged
  }

  /** The same judgement if nothing can be stored: what would be recorded is held. @param pins those it is based on */
  withoutRecording({ served, withheld, held, changes }: Judged, pins: ReadonlyMap<string, Pin>): Judged {
    const { kind, serverId, entries } = this.#subject
    const reasons = [
      { rule: 'not-stored', severity: 'hold', message: 'The database cannot store the change.' },
    ] as const
    for (const { pin, previous } of changes) {
      const { name } = pin
      const definition = entries.get(name)
      if (definition === undefined) continue
      const before = previous === undefined ? undefined : (JSON.parse(previous) as Definition)
      const fits = before !== undefined && stillFits(kind, before, definition)
      const { at: since = 0, hash = '' } = pin.approved ?? {}
      const known = pins.get(pinId(pin))?.approved
      const shown = before === undefined || known === undefined ? {} : { approved: { definition: before, pin: known } }
      const subject = { serverId, kind, name, hash, definition, ...shown } as const
      const waiting = { ...subject, state: 'held', isServed: fits, reasons, since } as const
      held.set(pinId(pin), waiting)
      served.delete(name)
      if (fits) served.set(name, withoutClaims(before, known?.claims ?? []))
      else withheld.set(name, waiting)
    }
    return { served, withheld, held, changes: [] }
  }

  /** Whether it is recorded. */
  #judgeNew(judged: Judged, subject: NewSubject): boolean {
    const { name, definition, pin, isFirst, texts, before, room } = subject
    const { serverId, kind } = this.#subject
    const hash = fingerprintOf(kind, definition)
    const isBlocked = pin?.blocked?.hash === hash
    const reasons =
      room > 0
        ? judgeNew(definition, isFirst, { ...this.#basis(), denied: this.#denied(texts, isFirst) })
        : [
            {
              rule: 'too-many',
              severity: 'hold',
              message: 'The server has listed too many different definitions.',
            } as const,
          ]
    const at = this.#parts.now()
    if (reasons.length > 0 || isBlocked) {
      const state = isBlocked ? 'blocked' : 'held'
      const since = before?.hash === hash ? before.since : at
      const held = { serverId, kind, name, state, hash, definition, isServed: false, reasons, since } as const
      judged.held.set(pinId({ kind, name }), held)
      judged.withheld.set(name, held)
      return false
    }
    const claims = isFirst || kind !== 'tool' ? [] : looseHints(definition)
    const how = isFirst ? 'first-seen' : 'added'
    const approved: Approved = { hash, how, at, changes: 0, ...(claims.length > 0 && { claims }) }
    const kept = { kind, name, approved, ...(pin?.blocked && { blocked: pin.blocked }) }
    judged.changes.push({ serverId, pin: kept, definition: JSON.stringify(definition), expected: null })
    judged.served.set(name, withoutClaims(definition, claims))
    return true
  }

  #judgeChange(judged: Judged, { name, definition: sent, pin, texts, before }: ChangedSubject): void {
    const { serverId, kind } = this.#subject
    const text = texts.get(pinId(pin))?.definition
    const { approved } = pin
    if (text === undefined || approved === undefined) return
    const known = JSON.parse(text) as Definition
    const definition = kind === 'tool' ? withKeptAnnotations(known, sent) : sent
    const hash = fingerprintOf(kind, definition)
    const claimed = approved.claims ?? []
    if (hash === approved.hash) return void judged.served.set(name, withoutClaims(definition, claimed))
    const at = this.#parts.now()
    // A clock that went back does not make room for more changes.
    const changes = at - approved.at > DAY_MS ? 1 : approved.changes + 1
    const isBlocked = pin.blocked?.hash === hash
    const reasons = [
      ...judgeChange(known, definition, this.#basis()),
      ...(changes > MOST_CHANGES && kind !== 'program' ? [UNSTABLE] : []),
    ]
    if (reasons.length === 0 && !isBlocked) {
      const claims = kind === 'tool' ? newClaims(known, definition, claimed) : []
      const how = approved.how === 'added' ? 'added' : 'recorded'
      const recorded: Approved = { hash, how, at, changes, ...(claims.length > 0 && { claims }) }
      judged.changes.push({
        serverId,
        pin: { kind, name, approved: recorded, ...(pin.blocked && { blocked: pin.blocked }) },
        definition: JSON.stringify(definition),
        previous: text,
        expected: approved.hash,
      })
      judged.served.set(name, withoutClaims(definition, claims))
      return
    }
    const isServed = stillFits(kind, known, definition)
    const since = before?.hash === hash ? before.since : at
    const state = isBlocked ? 'blocked' : 'held'
    const shown = { definition: known, pin: approved }
    const held = { serverId, kind, name, state, hash, definition, approved: shown, isServed, reasons, since } as const
    judged.held.set(pinId({ kind, name }), held)
    if (isServed) judged.served.set(name, withoutClaims(known, claimed))
    else judged.withheld.set(name, held)
  }

  #basis() {
    const { kind } = this.#subject
    const { mode } = this.#policy
    return { kind, mode, scan: this.#scan, denied: NONE }
  }

  #denied(texts: Texts, isFirst: boolean): ReadonlyMap<string, Definition | undefined> {
    const { entries } = this.#subject
    // In a first list, tools beside the denied one are its neighbours (`box_1`, `box_2`) and not its new name.
    const names = [...this.#policy.denied].filter((name) => !isFirst || !entries.has(name))
    this.#deniedTools ??= new Map(
      names.map((name) => {
        const text = texts.get(pinId({ kind: 'tool', name }))?.definition
        return [name, text === undefined ? undefined : (JSON.parse(text) as Definition)]
      }),
    )
    return this.#deniedTools
  }
}

/** Remembers that the first list of a kind was seen: whatever comes later is new. */
function baseline({ serverId, kind }: Omit<Subject, 'entries'>, at: number): PinChange {
  return { serverId, pin: { kind, name: '', approved: { hash: '', how: 'first-seen', at, changes: 0 } } }
}

/** The baselines that belong to imported pins. */
export function baselinesOf(changes: readonly PinChange[]): readonly PinChange[] {
  const found = new Map<string, PinChange>()
  for (const { serverId, pin } of changes) {
    if (!MARKED.has(pin.kind)) continue
    found.set(`${serverId}:${pin.kind}`, baseline({ serverId, kind: pin.kind }, pin.approved?.at ?? 0))
  }
  return [...found.values()]
}

/** The kinds of which a server may have several: an entry without a name marks that the first list was seen. */
const MARKED: ReadonlySet<PinnedKind> = new Set(['tool', 'prompt', 'resource-template'])
const NONE: ReadonlyMap<string, Definition | undefined> = new Map()
const UNSTABLE: HoldReason = {
  rule: 'unstable',
  severity: 'hold',
  message: `It has changed more than ${MOST_CHANGES} times within a day.`,
}

interface ChangedSubject {
  readonly name: string
  readonly definition: Definition
  readonly pin: Pin
  readonly texts: Texts
  readonly before: HeldDefinition | undefined
}

interface NewSubject extends Omit<ChangedSubject, 'pin'> {
  readonly pin: Pin | undefined
  readonly isFirst: boolean
  readonly room: number
}
