import { createHash } from 'node:crypto'
import { access, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inSlices, type Steps } from '../in-slices.ts'
import type { Pin, PinRepository } from '../model/pins.ts'
import type { StoredEndpoint, StoredProject, StoredServer, StoredState, StoredToken } from '../model/stored-state.ts'
import { StoredTokens } from '../model/stored-tokens.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { SecretBox, SecretPlace } from './secrets/secret-box.ts'

/** The state as it was saved. */
export interface SavedState {
  readonly state: StoredState
  readonly cursorKey: string
  /** When it was saved, in epoch milliseconds. */
  readonly at: number
}

/** What is saved. */
interface Source {
  readonly state: () => StoredState
  readonly cursorKey: string
  readonly pins: Pick<PinRepository, 'load'>
}

/** The dependencies of {@link LastKnown}. */
export interface LastKnownParts {
  readonly folder: string
  readonly box: SecretBox
  readonly logger: Pick<Logger, 'warn'>
  readonly now: () => number
  /** How long a change waits to be saved. Default 30,000. */
  readonly delayMs?: number
}

interface Header {
  readonly format: number
  readonly at: number
  readonly cursorKey: string
  readonly revision: number
  readonly settings: readonly (readonly [string, unknown])[]
  readonly portions: number
}

type Portion =
  | { readonly kind: 'servers'; readonly entries: readonly StoredServer[] }
  | { readonly kind: 'projects'; readonly entries: readonly StoredProject[] }
  | { readonly kind: 'endpoints'; readonly entries: readonly StoredEndpoint[] }
  | { readonly kind: 'tokens'; readonly entries: readonly StoredToken[] }

const FORMAT = 1
const DELAY_MS = 30_000
const ENTRIES_A_PORTION = 100
const ONLY_OWNER = 0o600

/**
 * The last state of a shared database in files of this machine, so that a gateway can start while the database is away.
 * Encrypted like secrets. Nothing is written while nothing changes.
 */
export class LastKnown {
  readonly #parts: LastKnownParts
  readonly #dirtyPins = new Set<string>()
  #source: Source | undefined
  #savedRevision: number | undefined
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> = Promise.resolve()

  constructor(parts: LastKnownParts) {
    this.#parts = parts
  }

  /** Saves the source from now on. */
  follow(source: Source): void {
    this.#source = source
    this.changed()
  }

  /** The state has changed. */
  changed(): void {
    this.#timer ??= setTimeout(() => void this.#save(), this.#parts.delayMs ?? DELAY_MS).unref()
  }

  /** The pins of a server were read or written. */
  pinsChanged(serverId: string): void {
    this.#dirtyPins.add(serverId)
    this.changed()
  }

  /** Whether there is a saved state, which may still be unreadable. */
  async isSaved(): Promise<boolean> {
    return access(join(this.#parts.folder, 'state')).then(
      () => true,
      () => false,
    )
  }

  /** The saved state; undefined if there is none, or no available key decrypts it. */
  async load(): Promise<SavedState | undefined> {
    const [first, ...rest] = (await this.#read('state')).split('\n')
    const header = this.#opened<Header>(first, place('state', 'header'))
    if (header?.format !== FORMAT || rest.length !== header.portions) return undefined
    const all = { servers: [] as StoredServer[], projects: [] as StoredProject[] }
    const more = { endpoints: [] as StoredEndpoint[], tokens: [] as StoredToken[] }
    for (const [at, line] of rest.entries()) {
      const portion = this.#opened<Portion>(line, place(`state ${header.at}`, String(at)))
      if (portion === undefined) return undefined
      const target = { ...all, ...more }[portion.kind] as unknown[]
      target.push(...portion.entries)
    }
    const { revision, settings, cursorKey, at } = header
    const { tokens, endpoints } = more
    const sorted = await inSlices(StoredTokens.steps(tokens))
    const state = { revision, ...all, endpoints, tokens: sorted, settings: new Map(settings) }
    return { state: Object.freeze(state), cursorKey, at }
  }

  /** The saved pins of a server. */
  async pins(serverId: string): Promise<readonly Pin[] | undefined> {
    return this.#opened<readonly Pin[]>(await this.#read(pinsFile(serverId)), place('pins', serverId))
  }

  /** Saves what has changed. */
  async close(): Promise<void> {
    if (this.#timer !== undefined) await this.#save()
    await this.#saving
  }

  #save(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#saving = this.#saving
      .then(() => this.#write())
      .catch((error: unknown) => {
        const message = 'the last known state could not be saved; a start without the database would use an older one'
        this.#parts.logger.warn({ error: String(error) }, message)
      })
    return this.#saving
  }

  async #write(): Promise<void> {
    if (this.#source === undefined) return
    await mkdir(this.#parts.folder, { recursive: true, mode: 0o700 })
    const state = this.#source.state()
    if (state.revision !== this.#savedRevision) {
      await this.#replace('state', await inSlices(this.#sealed(state, this.#source.cursorKey)))
      this.#savedRevision = state.revision
    }
    for (const serverId of [...this.#dirtyPins]) {
      const pins = await this.#source.pins.load(serverId)
      this.#dirtyPins.delete(serverId)
      await this.#replace(pinsFile(serverId), [this.#parts.box.seal(pins, place('pins', serverId))])
    }
  }

  *#sealed(state: StoredState, cursorKey: string): Steps<readonly string[]> {
    const at = this.#parts.now()
    const lines: string[] = []
    for (const portion of portionsOf(state)) {
      lines.push(this.#parts.box.seal(portion, place(`state ${at}`, String(lines.length))))
      yield
    }
    const { revision, settings } = state
    const header: Header = { format: FORMAT, at, cursorKey, revision, settings: [...settings], portions: lines.length }
    return [this.#parts.box.seal(header, place('state', 'header')), ...lines]
  }

  /** Line by line: to join and encode those of 100,000 tokens at once would block the process. */
  async #replace(name: string, lines: readonly string[]): Promise<void> {
    const path = join(this.#parts.folder, name)
    const parts = lines.map((line, at) => (at === 0 ? line : `\n${line}`))
    await writeFile(`${path}.new`, parts, { mode: ONLY_OWNER })
    await rename(`${path}.new`, path)
  }

  async #read(name: string): Promise<string> {
    return readFile(join(this.#parts.folder, name), 'utf8').catch(() => '')
  }

  #opened<Value>(sealed: string | undefined, where: SecretPlace): Value | undefined {
    return sealed === undefined || sealed === '' ? undefined : (this.#parts.box.open(sealed, where)?.value as Value)
  }
}

/** Pins that come from the files while the gateway has not reached its database yet. */
export function withLastKnownPins(pins: PinRepository, known: LastKnown, isBehind: () => boolean): PinRepository {
  return {
    load: async (serverId) => {
      const saved = isBehind() ? await known.pins(serverId) : undefined
      if (saved !== undefined) return saved
      const loaded = await pins.load(serverId)
      known.pinsChanged(serverId)
      return loaded
    },
    record: async (changes) => {
      const conflicts = await pins.record(changes)
      for (const { serverId } of changes) known.pinsChanged(serverId)
      return conflicts
    },
    texts: (serverId, pinIds) => pins.texts(serverId, pinIds),
    servers: () => pins.servers(),
    decide: (changes) => pins.decide(changes),
    onDecided: (listener) => pins.onDecided(listener),
  }
}

function* portionsOf({ servers, projects, endpoints, tokens }: StoredState): Generator<Portion> {
  for (const entries of portions(servers)) yield { kind: 'servers', entries }
  for (const entries of portions(projects)) yield { kind: 'projects', entries }
  for (const entries of portions(endpoints)) yield { kind: 'endpoints', entries }
  for (const entries of portions(tokens)) yield { kind: 'tokens', entries }
}

function* portions<Entry>(entries: Iterable<Entry>): Generator<readonly Entry[]> {
  let portion: Entry[] = []
  for (const entry of entries) {
    portion.push(entry)
    if (portion.length < ENTRIES_A_PORTION) continue
    yield portion
    portion = []
  }
  if (portion.length > 0) yield portion
}

function place(row: string, column: string): SecretPlace {
  return { table: 'last-known', row, column }
}

/** Server ids may not be names of files. */
function pinsFile(serverId: string): string {
  return `pins-${createHash('sha256').update(serverId).digest('hex').slice(0, 32)}`
}
