/** How much the gateway lets servers change by themselves. Where several settings apply, the strictest one does. */
export type TrustMode = 'off' | 'standard' | 'strict'

/** From the loosest to the strictest. */
export const TRUST_MODES: readonly TrustMode[] = ['off', 'standard', 'strict']

/** What a pin is of. `program` is the command line or URL of a server. */
export type PinnedKind = 'tool' | 'prompt' | 'resource-template' | 'instructions' | 'program'

/** A definition as it may be served. Its texts stay in the repository, because there may be many. */
export interface Pin {
  readonly kind: PinnedKind
  /** The tool's or prompt's name, the template's URI; empty for instructions and programs. */
  readonly name: string
  /** Absent if nothing was ever approved: the entry only remembers a block. */
  readonly approved?: Approved
  /** The hash of a definition that a person refused. */
  readonly blocked?: { readonly hash: string; readonly by: string; readonly at: number }
}

/** The approved definition. */
export interface Approved {
  /** Of the whole definition. */
  readonly hash: string
  /** `first-seen`: with the first list of the server; `added` later, or changed and `recorded`: harmless, by the gateway itself. */
  readonly how: 'first-seen' | 'added' | 'recorded' | 'approved' | 'imported'
  /** The token of the administrator; absent if the gateway decided. */
  readonly by?: string
  readonly at: number
  /** Changes that the gateway recorded in a row, the last at `at`; a definition that changes all the time is held. */
  readonly changes: number
  /** Annotations of the definition that no person has approved yet; they are not passed on. */
  readonly claims?: readonly string[]
}

/** The texts of a pin, as JSON. */
export interface PinTexts {
  readonly definition?: string
  /** The definition before the change that the gateway recorded. */
  readonly previous?: string
}

/** A new state of a pin. */
export interface PinChange extends PinTexts {
  readonly serverId: string
  readonly pin: Pin
  /** The approved hash that the change is based on, null if there was none. Absent: any. */
  readonly expected?: string | null
}

/** The storage of pins. */
export interface PinRepository {
  /** All pins of a server, without texts. */
  load(serverId: string): Promise<readonly Pin[]>
  /** The texts of some pins of a server, by `pinId`. */
  texts(serverId: string, pinIds: readonly string[]): Promise<ReadonlyMap<string, PinTexts>>
  /** Ids of the servers that have pins. */
  servers(): Promise<readonly string[]>
  /**
   * Writes what the gateway records by itself. A pin whose approved hash is not the expected one stays as it is.
   * @returns the ids of such pins
   */
  record(changes: readonly PinChange[]): Promise<ReadonlySet<string>>
  /**
   * Writes the decisions of people, all or none, and tells every gateway on the store.
   * @returns false if a pin is not as expected; nothing is written then
   */
  decide(changes: readonly PinChange[]): Promise<boolean>
  /** Reports the servers for which decisions were made, also by other gateways. */
  onDecided(listener: (serverIds: readonly string[]) => void): () => void
}

/** The stored value that tells other gateways for which servers decisions were made, and how many. Not a setting of people. */
export const PIN_DECISIONS = 'pinDecisions'

/** Identifies a pin within its server. */
export function pinId({ kind, name }: Pick<Pin, 'kind' | 'name'>): string {
  return `${kind}:${name}`
}
