import { isDeepStrictEqual } from 'node:util'
import type { ServerDefinition } from '../model/server.ts'
import { formatToolKey } from '../model/tool-key.ts'
import { limitedRemarks } from '../servers/protocol/definition-limits.ts'
import type { Steps } from '../in-slices.ts'
import { repairSteps } from './repair-tools.ts'
import type { CatalogTool } from './catalog.ts'
import type { CollectedList } from './collect-lists.ts'
import { charactersOf } from './definition-size.ts'

/** A list of tools, ready to be taken over. */
export interface ReadTools {
  /** The same map as before if no tool changed. */
  readonly tools: ReadonlyMap<string, CatalogTool>
  readonly remarks: readonly string[]
}

/**
 * Reads the tools of a server, one in each step. Unchanged tools stay the same objects, so that caches by object stay valid.
 * The order of tools is ignored, because some servers list them in random order.
 */
export function* readSteps(
  { items, remarks: leftOut }: CollectedList,
  { id: serverId, name: serverName }: Pick<ServerDefinition, 'id' | 'name'>,
  before: ReadonlyMap<string, CatalogTool>,
): Steps<ReadTools> {
  const { tools, problems } = yield* repairSteps(items)
  const read = new Map<string, CatalogTool>()
  const hidden: string[] = []
  let unchanged = 0
  for (const { definition, repairs, needsTask } of tools) {
    const { name } = definition
    if (needsTask) {
      hidden.push(taskRemark(name))
      continue
    }
    const tool = { key: formatToolKey(serverId, name), serverId, serverName, name, definition, repairs }
    const known = before.get(name)
    if (known !== undefined && isSameTool(known, tool)) {
      unchanged++
      read.set(name, known)
    } else {
      read.set(name, Object.freeze(tool))
      charactersOf(definition)
    }
    yield
  }
  const isSameList = read.size === before.size && unchanged === read.size
  return { tools: isSameList ? before : read, remarks: limitedRemarks([...leftOut, ...problems, ...hidden]) }
}

function taskRemark(name: string): string {
  return `Its tool "${name.slice(0, 80)}" runs only as a task, which the gateway does not support; it is left out.`
}

function isSameTool(one: CatalogTool, other: CatalogTool): boolean {
  if (one.key !== other.key || one.serverName !== other.serverName || !isSame(one.repairs, other.repairs)) return false
  const others: Readonly<Record<string, unknown>> = { ...other.definition }
  const members = Object.entries(one.definition)
  // Most members are texts, which are compared without being written.
  return members.length === Object.keys(others).length && members.every(([name, each]) => isSame(each, others[name]))
}

/** Whether two JSON values are the same, whatever the order of members. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object') return false
  try {
    // Most lists are the same to the last byte, and a text is compared ten times as fast as objects.
    return JSON.stringify(one) === JSON.stringify(other) || isDeepStrictEqual(one, other)
  } catch {
    // Too deeply nested to compare.
    return false
  }
}
