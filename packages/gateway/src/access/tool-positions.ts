import type { CatalogServer, CatalogTool } from '../catalog/catalog.ts'
import { toolKeyParts } from '../model/tool-key.ts'

/** A set of tools of one snapshot: a bit for each position. */
export class ToolBitmap {
  readonly #words: Uint32Array

  constructor(size: number | Uint32Array) {
    this.#words = typeof size === 'number' ? new Uint32Array(Math.ceil(size / 32)) : size
  }

  has(position: number): boolean {
    return ((this.#words[position >>> 5] ?? 0) & (1 << (position & 31))) !== 0
  }

  add(position: number): void {
    this.#words[position >>> 5] = (this.#words[position >>> 5] ?? 0) | (1 << (position & 31))
  }

  delete(position: number): void {
    this.#words[position >>> 5] = (this.#words[position >>> 5] ?? 0) & ~(1 << (position & 31))
  }

  addRange({ start, end }: PositionRange): void {
    for (let position = start; position < end; ) {
      const isWholeWord = (position & 31) === 0 && position + 32 <= end
      if (isWholeWord) this.#words[position >>> 5] = 0xffff_ffff
      else this.add(position)
      position += isWholeWord ? 32 : 1
    }
  }

  /** The tools that both have. */
  and(other: ToolBitmap): ToolBitmap {
    return new ToolBitmap(this.#words.map((word, at) => word & (other.#words[at] ?? 0)))
  }

  count(): number {
    let count = 0
    for (let word of this.#words) for (; word !== 0; word &= word - 1) count++
    return count
  }
}

/** The positions of the tools of one server: from the first up to the end, which is not included. */
interface PositionRange {
  readonly start: number
  readonly end: number
}

const NOWHERE: PositionRange = { start: 0, end: 0 }

/** Numbers the tools of a snapshot, server by server, so that a set of them is a bitmap. */
export class ToolPositions {
  readonly size: number
  readonly #servers = new Map<string, { readonly range: PositionRange; readonly tools: CatalogServer['tools'] }>()
  /** By server, the positions of its tools by name; made when a tool is looked up. */
  readonly #names = new Map<string, ReadonlyMap<string, number>>()
  readonly #matching = new Map<(tool: CatalogTool) => boolean, ToolBitmap>()

  constructor(servers: readonly CatalogServer[]) {
    let start = 0
    for (const { id, tools } of servers) {
      const range = { start, end: start + tools.size }
      this.#servers.set(id, { range, tools })
      start = range.end
    }
    this.size = start
  }

  rangeOf(serverId: string): PositionRange {
    return this.#servers.get(serverId)?.range ?? NOWHERE
  }

  /** The position of the tool with this key, if there is one. */
  of(key: string): number | undefined {
    const { serverId, toolName } = toolKeyParts(key)
    return this.#namesOf(serverId).get(toolName)
  }

  /** The tool with this key, if it is in the set. */
  find(key: string, members: ToolBitmap): CatalogTool | undefined {
    const position = this.of(key)
    if (position === undefined || !members.has(position)) return undefined
    const { serverId, toolName } = toolKeyParts(key)
    return this.#servers.get(serverId)?.tools.get(toolName)
  }

  /** The tools of a server that are in the set, in the order of the server. */
  *toolsOf(serverId: string, members: ToolBitmap): Iterable<CatalogTool> {
    let position = this.rangeOf(serverId).start
    for (const tool of this.#servers.get(serverId)?.tools.values() ?? []) if (members.has(position++)) yield tool
  }

  /** All tools for which a function is true. It is asked once for each tool. */
  matching(isMatch: (tool: CatalogTool) => boolean): ToolBitmap {
    const known = this.#matching.get(isMatch)
    if (known !== undefined) return known
    const found = new ToolBitmap(this.size)
    let position = 0
    for (const { tools } of this.#servers.values()) {
      for (const tool of tools.values()) {
        if (isMatch(tool)) found.add(position)
        position++
      }
    }
    this.#matching.set(isMatch, found)
    return found
  }

  #namesOf(serverId: string): ReadonlyMap<string, number> {
    const known = this.#names.get(serverId)
    if (known !== undefined) return known
    const server = this.#servers.get(serverId)
    if (server === undefined) return NO_NAMES
    const { range, tools } = server
    const names = new Map(Array.from(tools.keys(), (name, at) => [name, range.start + at]))
    this.#names.set(serverId, names)
    return names
  }
}

const NO_NAMES: ReadonlyMap<string, number> = new Map()
