import { GatewayError } from '../errors.ts'
import { inSlices } from '../in-slices.ts'
import {
  type Approved,
  type Pin,
  type PinChange,
  type PinnedKind,
  pinId,
  type PinRepository,
  type TrustMode,
} from '../model/pins.ts'
import { maskArguments, maskUrl } from '../model/server-secrets.ts'
import type { ServerDefinition } from '../model/server.ts'
import { looseHints } from '../trust/annotations.ts'
import { type Definition, fingerprintOf } from '../trust/fingerprint.ts'
import {
  baselinesOf,
  type HeldDefinition,
  Review,
  type Reviewed,
  type ReviewParts,
  type TrustPolicy,
} from './review-definitions.ts'

/** The collaborators of the approvals. */
export interface ApprovalsParts extends ReviewParts {
  readonly pins: PinRepository
  readonly policy: (serverId: string) => TrustPolicy
}

/** A change that the gateway recorded by itself and that no person has looked at. */
export interface RecordedChange {
  readonly serverId: string
  readonly pin: Pin & { readonly approved: Approved }
  readonly definition: Definition
  /** Absent if it is new. */
  readonly previous?: Definition
}

/** A definition that a person decides about, as the person saw it. */
export interface DecidedItem {
  readonly serverId: string
  readonly kind: PinnedKind
  readonly name: string
  readonly hash: string
}

/** How to review. */
interface ReviewOptions {
  /** Records nothing: for commands beside a gateway. */
  readonly isReadOnly?: boolean
  /** In place of the mode of the server. */
  readonly mode?: TrustMode
}

/**
 * Decides which definitions of servers may be served: approved ones. Records harmless changes, holds the others, and carries
 * out the decisions of people. What cannot be stored is held.
 */
export class Approvals {
  readonly #parts: ApprovalsParts
  readonly #pins = new Map<string, Promise<Map<string, Pin>>>()
  /** By server and pin id. */
  readonly #held = new Map<string, Map<string, HeldDefinition>>()
  readonly #listeners = new Set<(serverId: string) => void>()
  #onDecided: (serverIds: readonly string[]) => Promise<void> = () => Promise.resolve()

  constructor(parts: ApprovalsParts) {
    this.#parts = parts
  }

  /** Starts to follow decisions, also of other gateways. `apply` reviews the current lists of servers again. */
  follow(apply: (serverIds: readonly string[]) => Promise<void>): () => void {
    this.#onDecided = apply
    return this.#parts.pins.onDecided((serverIds) => void this.#reload(serverIds))
  }

  /** Everything that waits or was refused, in the order in which it was seen. */
  held(): readonly HeldDefinition[] {
    return [...this.#held.values()].flatMap((held) => [...held.values()]).toSorted((a, b) => a.since - b.since)
  }

  /** Reports the servers whose held definitions change. */
  onHeld(listener: (serverId: string) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** How many definitions wait. */
  get waiting(): number {
    let count = 0
    for (const held of this.#held.values()) for (const { state } of held.values()) if (state === 'held') count++
    return count
  }

  /** Forgets a server that is gone. Its pins stay in the store. */
  forget(serverId: string): void {
    this.#pins.delete(serverId)
    this.#held.delete(serverId)
  }

  /**
   * Reviews all definitions of one kind of a server.
   * @throws GatewayError STORE_UNAVAILABLE if its pins cannot be read
   */
  async review(
    serverId: string,
    kind: PinnedKind,
    entries: ReadonlyMap<string, Definition>,
    { isReadOnly = false, mode }: ReviewOptions = {},
  ): Promise<Reviewed> {
    const decided = this.#parts.policy(serverId)
    const policy = mode === undefined ? decided : { ...decided, mode }
    if (policy.mode === 'off') {
      this.#keepHeld(serverId, kind, new Map())
      return { served: entries, withheld: new Map(), isUnstored: false }
    }
    const review = new Review(this.#parts, policy, { serverId, kind, entries })
    // Another gateway may record the same change at the same time; its pins are judged then.
    for (let attempt = 0; ; attempt++) {
      const pins = await this.#pinsOf(serverId)
      const changed = await inSlices(review.neededTexts(pins))
      const texts = await this.#parts.pins.texts(serverId, changed)
      const scan = changed.length === 0 ? () => [] : await this.#parts.scan(serverId)
      const judged = await inSlices(review.judge(pins, texts, this.#held.get(serverId), scan))
      const stored = isReadOnly ? 'stored' : await this.#record(serverId, judged.changes)
      if (stored === 'conflict' && attempt < 3) continue
      const final = stored === 'stored' ? judged : review.withoutRecording(judged, pins)
      this.#keepHeld(serverId, kind, final.held)
      const { served, withheld } = final
      return { served, withheld, isUnstored: stored !== 'stored' }
    }
  }

  /** Whether the command line or URL of a server waits for approval. Those of the store were changed by an administrator. */
  holdsProgram(
    { id, transport }: ServerDefinition,
    isDeclared: boolean,
  ): { readonly mayHold: boolean; readonly holds: Promise<boolean> } {
    const { mode } = this.#parts.policy(id)
    if (mode === 'off') return { mayHold: false, holds: Promise.resolve(false) }
    const mayHold = mode === 'strict' && isDeclared
    const entries = new Map([['', programOf(transport)]])
    const reviewed = this.review(id, 'program', entries, { mode: mayHold ? 'strict' : 'standard' })
    // Without knowing what was approved, a strict gateway starts nothing.
    return {
      mayHold,
      holds: reviewed.then(
        ({ withheld }) => mayHold && withheld.size > 0,
        () => mayHold,
      ),
    }
  }

  /** The changes that the gateway recorded by itself, newest first. */
  async recorded(serverIds: readonly string[]): Promise<readonly RecordedChange[]> {
    const all: RecordedChange[] = []
    for (const serverId of serverIds) {
      const pins = [...(await this.#pinsOf(serverId)).values()].filter(isRecorded)
      const texts = await this.#parts.pins.texts(serverId, pins.map(pinId))
      for (const pin of pins) {
        const { definition, previous } = texts.get(pinId(pin)) ?? {}
        if (definition === undefined) continue
        const before = previous === undefined ? {} : { previous: JSON.parse(previous) as Definition }
        all.push({ serverId, pin, definition: JSON.parse(definition) as Definition, ...before })
      }
    }
    return all.toSorted((a, b) => b.pin.approved.at - a.pin.approved.at)
  }

  /** All approved definitions of a server, with their texts. */
  async approved(serverId: string): Promise<readonly Omit<RecordedChange, 'previous'>[]> {
    const pins = [...(await this.#pinsOf(serverId)).values()]
    const texts = await this.#parts.pins.texts(serverId, pins.map(pinId))
    return pins.flatMap((pin) => {
      const { definition } = texts.get(pinId(pin)) ?? {}
      if (pin.approved === undefined || definition === undefined) return []
      return [{ serverId, pin: { ...pin, approved: pin.approved }, definition: JSON.parse(definition) as Definition }]
    })
  }

  /**
   * Approves definitions, all or none.
   * @throws GatewayError REVISION_CONFLICT if one of them is not the one that the person saw
   */
  approve(items: readonly DecidedItem[], by: string): Promise<void> {
    return this.#decide(items, async (item, pins) => {
      const held = this.#heldItem(item)
      const at = this.#parts.now()
      const pin = pins.get(pinId(item))
      if (held === undefined && pin?.approved?.hash !== item.hash) throw changedSince(item)
      const kept = await this.#textsOf(item)
      const definition = held === undefined ? kept.definition : JSON.stringify(held.definition)
      const approved: Approved = { hash: item.hash, how: 'approved', by, at, changes: 0 }
      const blocked = pin?.blocked
      // Another definition that was refused stays refused.
      const isOther = blocked !== undefined && blocked.hash !== item.hash
      return {
        serverId: item.serverId,
        pin: { kind: item.kind, name: item.name, approved, ...(isOther && { blocked }) },
        expected: pin?.approved?.hash ?? null,
        ...(definition !== undefined && { definition }),
      }
    })
  }

  /**
   * Refuses definitions, all or none. A change that the gateway had recorded is undone.
   * @throws GatewayError REVISION_CONFLICT if one of them is not the one that the person saw
   */
  block(items: readonly DecidedItem[], by: string): Promise<void> {
    return this.#decide(items, async (item, pins) => {
      const { kind, name, hash, serverId } = item
      const pin = pins.get(pinId(item))
      const isRecordedNow = this.#heldItem(item) === undefined
      if (isRecordedNow && (pin?.approved?.hash !== hash || !isRecorded(pin))) throw changedSince(item)
      const blocked = { hash, by, at: this.#parts.now() }
      const { definition, previous } = await this.#textsOf(item)
      const expected = pin?.approved?.hash ?? null
      if (!isRecordedNow) {
        const approved = pin?.approved
        return {
          ...{ serverId, expected, pin: { kind, name, blocked, ...(approved && { approved }) } },
          ...(definition !== undefined && { definition }),
          ...(previous !== undefined && { previous }),
        }
      }
      if (previous === undefined) return { serverId, expected, pin: { kind, name, blocked } }
      const approved = restoredBy(by, blocked.at, kind, JSON.parse(previous) as Definition, pin?.approved)
      return { serverId, expected, pin: { kind, name, approved, blocked }, definition: previous }
    })
  }

  /** Takes over approvals of another gateway. What was blocked here stays blocked. */
  async importPins(changes: readonly PinChange[]): Promise<void> {
    const kept: PinChange[] = []
    for (const change of changes) {
      const blocked = (await this.#pinsOf(change.serverId)).get(pinId(change.pin))?.blocked
      kept.push(blocked === undefined ? change : { ...change, pin: { ...change.pin, blocked } })
    }
    await this.#parts.pins.decide([...kept, ...baselinesOf(changes)])
    await this.#reload([...new Set(changes.map(({ serverId }) => serverId))])
  }

  async #decide(
    items: readonly DecidedItem[],
    changeOf: (item: DecidedItem, pins: ReadonlyMap<string, Pin>) => Promise<PinChange>,
  ): Promise<void> {
    const changes: PinChange[] = []
    for (const item of items) changes.push(await changeOf(item, await this.#pinsOf(item.serverId)))
    const [first] = items
    if (first === undefined) return
    if (!(await this.#parts.pins.decide(changes))) throw changedSince(first)
    await this.#reload([...new Set(items.map(({ serverId }) => serverId))])
  }

  #heldItem(item: DecidedItem): HeldDefinition | undefined {
    const held = this.#held.get(item.serverId)?.get(pinId(item))
    return held?.hash === item.hash ? held : undefined
  }

  async #textsOf(item: DecidedItem) {
    return (await this.#parts.pins.texts(item.serverId, [pinId(item)])).get(pinId(item)) ?? {}
  }

  async #reload(serverIds: readonly string[]): Promise<void> {
    for (const serverId of serverIds) this.#pins.delete(serverId)
    await this.#onDecided(serverIds)
  }

  #pinsOf(serverId: string): Promise<Map<string, Pin>> {
    const known = this.#pins.get(serverId)
    if (known !== undefined) return known
    const loading = this.#parts.pins.load(serverId).then((pins) => new Map(pins.map((pin) => [pinId(pin), pin])))
    this.#pins.set(serverId, loading)
    // A failed read is repeated with the next review.
    loading.catch(() => this.#pins.delete(serverId))
    return loading
  }

  async #record(serverId: string, changes: readonly PinChange[]): Promise<'stored' | 'conflict' | 'failed'> {
    if (changes.length === 0) return 'stored'
    const conflicts = await this.#parts.pins.record(changes).catch(() => undefined)
    if (conflicts === undefined) return 'failed'
    if (conflicts.size > 0) {
      this.#pins.delete(serverId)
      return 'conflict'
    }
    const pins = await this.#pinsOf(serverId)
    for (const { pin } of changes) pins.set(pinId(pin), pin)
    return 'stored'
  }

  #keepHeld(serverId: string, kind: PinnedKind, held: ReadonlyMap<string, HeldDefinition>): void {
    const before = this.#held.get(serverId) ?? new Map<string, HeldDefinition>()
    const after = new Map([...[...before].filter(([, each]) => each.kind !== kind), ...held])
    this.#held.set(serverId, after)
    const isSame = before.size === after.size && [...after].every(([id, each]) => before.get(id)?.hash === each.hash)
    if (!isSame) for (const listener of this.#listeners) listener(serverId)
  }
}

/** The command line or URL of a server, without secrets. */
function programOf(transport: ServerDefinition['transport']): Definition {
  if (transport.kind !== 'stdio') return { kind: transport.kind, url: maskUrl(transport.url) }
  const { kind, command, args, cwd } = transport
  return { kind, command, args: maskArguments(args), ...(cwd !== undefined && { cwd }) }
}

/** The approval of a definition whose recorded change a person refused. That does not approve what it claims. */
function restoredBy(by: string, at: number, kind: PinnedKind, previous: Definition, undone?: Approved): Approved {
  const restored = { hash: fingerprintOf(kind, previous), at, changes: 0 }
  const isUnseen = undone?.how === 'added'
  const loose = kind === 'tool' ? looseHints(previous) : []
  const claims = loose.filter((hint) => isUnseen || undone?.claims?.includes(hint) === true)
  // As recorded, it stays among those that a person can still approve.
  if (undone !== undefined && claims.length > 0) return { ...restored, how: undone.how, claims }
  return { ...restored, how: 'approved', by }
}

function isRecorded(pin: Pin): pin is Pin & { readonly approved: Approved } {
  return pin.approved?.how === 'recorded' || pin.approved?.how === 'added'
}

function changedSince({ serverId, kind, name }: DecidedItem): GatewayError {
  return new GatewayError('REVISION_CONFLICT', {
    server: serverId,
    reason: `${kind} ${JSON.stringify(name.slice(0, 200))} of ${JSON.stringify(serverId)} has changed since you looked; nothing was decided`,
    remedy: 'Look at it again: tooldex review',
  })
}
