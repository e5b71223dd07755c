import { ToolSearchError } from '../errors.ts'
import { inIdOrder } from './id-order.ts'
import type { ToolChange } from '../providers/search-provider.ts'
import type { IndexedTool } from '../tool/tool.ts'
import { describeBackend, isSameBackend, type ToolBackend } from '../tool/tool-backend.ts'
import { differingMcpField, isSameJson } from '../tool/tool-equality.ts'
import type { ToolDiff } from './tool-index.ts'
import { invalidTool } from '../tool/tool-validation.ts'

/** The entry of one tool in the index. */
export interface IndexEntry {
  readonly tool: IndexedTool
  /** Never empty; in order of registration. */
  readonly backends: readonly ToolBackend[]
}

/** An entry with the one backend of a registration. Many entries may share the list. */
export interface NewEntry extends IndexEntry {
  readonly backends: readonly [ToolBackend]
}

/** In place of an entry: the tool goes. */
export const REMOVED = 'removed'

/** The outcome of a complete draft. */
export interface DraftOutcome {
  /** For the provider: definitions only. */
  readonly change: ToolChange
  /** For people: `changed` also names tools of which only the backends changed. */
  readonly diff: ToolDiff
}

/**
 * A change of the index under construction. Nothing is touched until the whole draft is known to be valid, which is
 * what makes registrations atomic.
 */
export class IndexDraft {
  readonly #current: ReadonlyMap<string, IndexEntry>
  readonly #staged = new Map<string, IndexEntry | typeof REMOVED>()

  constructor(current: ReadonlyMap<string, IndexEntry>) {
    this.#current = current
  }

  /** The drafted entries, by id. Some may be unchanged. */
  get staged(): ReadonlyMap<string, IndexEntry | typeof REMOVED> {
    return this.#staged
  }

  /**
   * Adds a tool, or one more backend to a tool that is there. What the new registration leaves out (tags, say) stays.
   * @throws ToolSearchError INVALID_TOOL when the tool is there with other MCP fields
   */
  register(entry: NewEntry): void {
    const { tool } = entry
    const known = this.#get(tool.id)
    if (known === undefined) {
      this.#staged.set(tool.id, entry)
      return
    }
    refuseOtherDefinition(known.tool, tool, 'differs from what is registered; use sync to replace it')
    this.#update(known, { ...entry, tool: Object.freeze({ ...known.tool, ...tool }) })
  }

  /**
   * Adds a tool or replaces its definition, for a server that is the authority on it.
   * @throws ToolSearchError INVALID_TOOL when another backend serves the tool with other MCP fields
   */
  replace(entry: NewEntry): void {
    const { tool, backends } = entry
    const known = this.#get(tool.id)
    if (known === undefined || known.tool.namespace !== tool.namespace) {
      this.register(entry)
      return
    }
    const other = known.backends.find((backend) => !isSameBackend(backend, backends[0]))
    if (other !== undefined) {
      const problem = `differs from what ${describeBackend(other)} serves; unregister that backend first`
      refuseOtherDefinition(known.tool, tool, problem)
    }
    this.#update(known, entry)
  }

  /**
   * Takes a backend from a tool, and with the last one the tool.
   * @throws ToolSearchError NOT_FOUND
   */
  withdraw(id: string, backend: ToolBackend): void {
    const known = this.#get(id)
    if (known === undefined) throw toolNotFound(id)
    const backends = known.backends.filter((candidate) => !isSameBackend(candidate, backend))
    if (backends.length === known.backends.length) {
      const reason = `${id} has no backend ${describeBackend(backend)}`
      throw new ToolSearchError('NOT_FOUND', { toolId: id, backend: describeBackend(backend), reason })
    }
    this.#staged.set(id, backends.length === 0 ? REMOVED : { tool: known.tool, backends })
  }

  /** The outcome of the draft. */
  outcome(): DraftOutcome {
    const added: string[] = []
    const changed: string[] = []
    const rewired: string[] = []
    const removed: string[] = []
    for (const [id, after] of this.#staged) {
      const before = this.#current.get(id)
      if (after === REMOVED) {
        if (before !== undefined) removed.push(id)
      } else if (before === undefined) added.push(id)
      else if (after.tool !== before.tool) changed.push(id)
      else if (after.backends !== before.backends) rewired.push(id)
    }
    const diff = {
      added: inIdOrder(added),
      changed: inIdOrder([...changed, ...rewired]),
      removed: inIdOrder(removed),
    }
    const change = {
      added: toolsOf(diff.added, this.#staged),
      changed: toolsOf(inIdOrder(changed), this.#staged),
      removed: toolsOf(diff.removed, this.#current),
    }
    return { change, diff }
  }

  #get(id: string): IndexEntry | undefined {
    const staged = this.#staged.get(id) ?? this.#current.get(id)
    return staged === REMOVED ? undefined : staged
  }

  /** Keeps the old objects where nothing is new: `outcome` compares by identity. */
  #update(known: IndexEntry, { tool, backends }: NewEntry): void {
    const isNewBackend = !known.backends.some((backend) => isSameBackend(backend, backends[0]))
    const isNewTool = !isSameJson(known.tool, tool)
    if (!isNewBackend && !isNewTool) return
    this.#staged.set(tool.id, {
      tool: isNewTool ? tool : known.tool,
      backends: isNewBackend ? Object.freeze([...known.backends, ...backends]) : known.backends,
    })
  }
}

/** A NOT_FOUND error for a tool. */
export function toolNotFound(id: unknown): ToolSearchError {
  const toolId = typeof id === 'string' ? id.slice(0, 600) : `(${typeof id})`
  return new ToolSearchError('NOT_FOUND', { toolId, reason: `no tool ${toolId}` })
}

function refuseOtherDefinition(known: IndexedTool, tool: IndexedTool, problem: string): void {
  const field = differingMcpField(known, tool)
  if (field !== undefined) throw invalidTool(tool.id, field, problem)
}

function toolsOf(
  ids: readonly string[],
  entries: ReadonlyMap<string, IndexEntry | typeof REMOVED>,
): readonly IndexedTool[] {
  return ids.map((id) => (entries.get(id) as IndexEntry).tool)
}
