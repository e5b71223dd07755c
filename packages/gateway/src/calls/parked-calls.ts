import { createHash, randomBytes } from 'node:crypto'
import { canonicalText } from '../model/canonical-json.ts'
import type { ClientLink, RawResult } from '../servers/server.ts'
import { AskableCall, type ParkingPlace, type Round, type SendCall } from './askable-call.ts'

/** The identity of a call: caller, project, tool and arguments. */
export interface CallIdentity {
  readonly tokenId: string
  readonly endpointId: string
  /** The project, the tool or method, and all arguments; compared by content. */
  readonly what: readonly unknown[]
}

/** A call that may be parked. */
export interface ParkableCall {
  readonly identity: CallIdentity
  readonly round: Round
  /** How long a parked call is kept: the hard time limit of a call. */
  readonly keptMs: number
  /** Whether another caller waits for something that this call occupies at its server. */
  readonly isAwaited: () => boolean
  readonly send: SendCall
}

/** How many calls may be parked: per token, and in all. */
export interface ParkingLimits {
  readonly perToken: number
  readonly total: number
}

const LIMITS: ParkingLimits = { perToken: 16, total: 256 }
/** The longest timer of Node; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1
/** A call that is parked for this long ends if another caller waits. A caller so waits for less than a minute. */
const ENDS_FOR_OTHERS_AFTER_MS = 30_000
const CHECK_MS = 1_000
/** As hard to guess as a token. */
const STATE_BYTES = 32
/** In characters, without the owner. */
export const STATE_LENGTH = Math.ceil((STATE_BYTES * 4) / 3)

interface Place {
  readonly tokenId: string
  readonly digest: string
  readonly timer: NodeJS.Timeout
  readonly isAwaited: () => boolean
  state?: string
  /** When the client was asked; only while it is. */
  parkedAt?: number
}

/** Whether a client can be asked questions, and only in results. */
export function isAskedByResult(client: ClientLink | undefined): client is ClientLink {
  if (client === undefined || client.answer !== undefined) return false
  return 'elicitation' in client.capabilities || 'sampling' in client.capabilities
}

/**
 * The calls that stay open at servers while their clients answer questions. A state is a random name of one call and is
 * valid for one request of the same call and caller.
 */
export class ParkedCalls {
  readonly #limits: ParkingLimits
  readonly #places = new Map<AskableCall, Place>()
  readonly #byState = new Map<string, AskableCall>()
  readonly #now: () => number
  readonly #ownerId: string
  #check: NodeJS.Timeout | undefined

  /**
   * @param now in milliseconds
   * @param ownerId the beginning of every state: the replica that has the call, where there are several
   */
  constructor(limits: ParkingLimits = LIMITS, now: () => number = Date.now, ownerId = '') {
    this.#limits = limits
    this.#now = now
    this.#ownerId = ownerId
  }

  /** How many calls had a question and are not finished. */
  get size(): number {
    return this.#places.size
  }

  /** Begins a call during which the server may ask questions. */
  begin(parkable: ParkableCall): Promise<RawResult> {
    const { identity, round, send } = parkable
    const { tokenId, endpointId } = identity
    const group = round.client.group ?? JSON.stringify([tokenId, endpointId])
    const place: ParkingPlace = {
      admits: (call) => this.#admit(call, parkable),
      park: (call) => this.#park(call),
      left: (call) => this.#leave(call),
    }
    return new AskableCall(round.client, group, place).begin(round, send)
  }

  /** Continues the call with this state, once; undefined if this caller has no such call. */
  proceed(state: unknown, identity: CallIdentity, round: Round, answers: unknown): Promise<RawResult> | undefined {
    const call = typeof state === 'string' ? this.#byState.get(state) : undefined
    const place = call === undefined ? undefined : this.#places.get(call)
    if (call === undefined || place?.digest !== digestOf(identity)) return undefined
    this.#forgetState(place)
    return call.proceed(round, answers)
  }

  /** Abandons all calls. */
  close(): void {
    for (const call of [...this.#places.keys()]) this.#giveUp(call)
  }

  #admit(call: AskableCall, { identity, keptMs, isAwaited }: ParkableCall): boolean {
    const { tokenId } = identity
    const isOwn = (place: Place): boolean => place.tokenId === tokenId
    const ofToken = [...this.#places.values()].filter(isOwn).length
    if (ofToken >= this.#limits.perToken && !this.#endLongestParked(isOwn)) return false
    if (this.#places.size >= this.#limits.total && !this.#endLongestParked(() => true)) return false
    const timer = setTimeout(() => this.#giveUp(call), Math.min(keptMs, LONGEST_MS)).unref()
    this.#places.set(call, { tokenId, digest: digestOf(identity), timer, isAwaited })
    return true
  }

  /** Makes room by ending the call whose client is away for longest. @returns false if none is away for long enough */
  #endLongestParked(isMeant: (place: Place) => boolean): boolean {
    const longest = this.#parkedForLong()
      .filter(([, place]) => isMeant(place))
      .toSorted(([, one], [, other]) => (one.parkedAt ?? 0) - (other.parkedAt ?? 0))[0]
    if (longest === undefined) return false
    this.#giveUp(longest[0])
    return true
  }

  /** The calls that end if another caller waits. */
  #parkedForLong(): [AskableCall, Place][] {
    const before = this.#now() - ENDS_FOR_OTHERS_AFTER_MS
    return [...this.#places].filter(([, { parkedAt }]) => parkedAt !== undefined && parkedAt <= before)
  }

  #endAwaited(): void {
    for (const [call, { isAwaited }] of this.#parkedForLong()) if (isAwaited()) this.#giveUp(call)
  }

  #park(call: AskableCall): string {
    const state = `${this.#ownerId}${randomBytes(STATE_BYTES).toString('base64url')}`
    const place = this.#places.get(call)
    // Without a place the state is unknown, like an expired one.
    if (place === undefined) return state
    place.state = state
    place.parkedAt = this.#now()
    this.#byState.set(state, call)
    this.#check ??= setInterval(() => this.#endAwaited(), CHECK_MS).unref()
    return state
  }

  #giveUp(call: AskableCall): void {
    this.#leave(call)
    call.giveUp()
  }

  #leave(call: AskableCall): void {
    const place = this.#places.get(call)
    if (place === undefined) return
    clearTimeout(place.timer)
    this.#forgetState(place)
    this.#places.delete(call)
  }

  #forgetState(place: Place): void {
    if (place.state !== undefined) this.#byState.delete(place.state)
    delete place.state
    delete place.parkedAt
    if (this.#byState.size > 0) return
    clearInterval(this.#check)
    this.#check = undefined
  }
}

function digestOf({ tokenId, endpointId, what }: CallIdentity): string {
  return createHash('sha256')
    .update(canonicalText([tokenId, endpointId, what]))
    .digest('base64url')
}
