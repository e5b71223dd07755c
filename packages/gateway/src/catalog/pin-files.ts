import { isRecord } from '@tooldex/http-kit/json'
import { type Pin, type PinChange, pinId, type PinRepository, type PinTexts } from '../model/pins.ts'
import { ServerFiles } from './server-files.ts'

const FORMAT = 1

type Kept = Map<string, { readonly pin: Pin; readonly texts: PinTexts }>

/** Pins as one JSON file per server, for a gateway without a store. Other gateways do not see them. */
export class PinFiles implements PinRepository {
  readonly #files: ServerFiles
  readonly #servers = new Map<string, Promise<Kept>>()
  readonly #listeners = new Set<(serverIds: readonly string[]) => void>()

  /** @param folder created by the first write */
  constructor(folder: string) {
    this.#files = new ServerFiles(folder)
  }

  async load(serverId: string): Promise<readonly Pin[]> {
    return Array.from((await this.#of(serverId)).values(), ({ pin }) => pin)
  }

  async texts(serverId: string, pinIds: readonly string[]): Promise<ReadonlyMap<string, PinTexts>> {
    const kept = await this.#of(serverId)
    return new Map(pinIds.map((id) => [id, kept.get(id)?.texts ?? {}]))
  }

  servers(): Promise<readonly string[]> {
    return Promise.resolve([...this.#servers.keys()])
  }

  async record(changes: readonly PinChange[]): Promise<ReadonlySet<string>> {
    const conflicts = new Set<string>()
    for (const [serverId, own] of Map.groupBy(changes, (change) => change.serverId)) {
      const kept = await this.#of(serverId)
      const fitting = own.filter((change) => isExpected(kept, change))
      for (const change of own) if (!fitting.includes(change)) conflicts.add(pinId(change.pin))
      const after = withChanges(kept, fitting)
      await this.#files.write(serverId, { format: FORMAT, serverId, pins: [...after.values()] })
      this.#servers.set(serverId, Promise.resolve(after))
    }
    return conflicts
  }

  async decide(changes: readonly PinChange[]): Promise<boolean> {
    const serverIds = [...new Set(changes.map(({ serverId }) => serverId))]
    for (const change of changes) if (!isExpected(await this.#of(change.serverId), change)) return false
    await this.record(changes)
    for (const listener of this.#listeners) listener(serverIds)
    return true
  }

  onDecided(listener: (serverIds: readonly string[]) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #of(serverId: string): Promise<Kept> {
    const known = this.#servers.get(serverId)
    if (known !== undefined) return known
    const kept = this.#files.read(serverId).then((stored) => readPins(stored, serverId))
    this.#servers.set(serverId, kept)
    return kept
  }
}

function withChanges(kept: Kept, changes: readonly PinChange[]): Kept {
  const after = new Map(kept)
  for (const { pin, definition, previous } of changes) {
    const texts = { ...(definition !== undefined && { definition }), ...(previous !== undefined && { previous }) }
    after.set(pinId(pin), { pin, texts })
  }
  return after
}

function isExpected(kept: Kept, { pin, expected }: PinChange): boolean {
  return expected === undefined || (kept.get(pinId(pin))?.pin.approved?.hash ?? null) === expected
}

function readPins(stored: unknown, serverId: string): Kept {
  if (!isRecord(stored) || stored['format'] !== FORMAT || stored['serverId'] !== serverId) return new Map()
  const pins = stored['pins'] as { pin: Pin; texts: PinTexts }[]
  return new Map(pins.map((each) => [pinId(each.pin), each]))
}
