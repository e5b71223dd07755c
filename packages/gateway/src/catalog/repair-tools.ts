import type { McpTool } from '@tooldex/search'
import { isRecord } from '@tooldex/http-kit/json'
import { atOnce, type Steps } from '../in-slices.ts'

/** A tool as it can be used, and what had to be mended for that. */
export interface RepairedTool {
  readonly definition: McpTool
  /** In sentences; empty for nearly all. */
  readonly repairs: readonly string[]
  /** It can only be called as a task, which the gateway does not support. */
  readonly needsTask: boolean
}

/** A server's tools in order, and what could not be kept. */
export interface RepairedTools {
  readonly tools: readonly RepairedTool[]
  /** In sentences; empty for nearly all. */
  readonly problems: readonly string[]
}

const USUAL_NAME = /^[A-Za-z0-9_.-]{1,128}$/

type RawTools = readonly Readonly<Record<string, unknown>>[]

/** Repairs tools that are slightly invalid, so that none is lost. Everything else is kept as the server sent it. */
export function repairTools(listed: RawTools): RepairedTools {
  return atOnce(repairSteps(listed))
}

/** Like `repairTools`, one tool in each step. */
export function* repairSteps(listed: RawTools): Steps<RepairedTools> {
  const tools = new Map<string, RepairedTool>()
  const problems: string[] = []
  for (const [at, raw] of listed.entries()) {
    const { name } = raw
    if (typeof name !== 'string' || name === '') problems.push(`Tool ${at + 1} has no name and cannot be called.`)
    else if (tools.has(name)) problems.push(`There is a second tool "${short(name)}"; the first is kept.`)
    else tools.set(name, repaired({ ...raw, name }))
    yield
  }
  return { tools: [...tools.values()], problems }
}

function repaired(raw: Readonly<Record<string, unknown>> & { readonly name: string }): RepairedTool {
  const repairs: string[] = []
  const definition: Record<string, unknown> & { name: string } = { ...raw }
  if (!USUAL_NAME.test(raw.name)) repairs.push('Its name has unusual characters or is longer than 128; it is kept.')
  for (const field of ['title', 'description'] as const) {
    if (raw[field] === undefined || typeof raw[field] === 'string') continue
    delete definition[field]
    repairs.push(`Its ${field} is not text and was dropped.`)
  }
  for (const field of ['annotations', '_meta', 'outputSchema'] as const) {
    if (raw[field] === undefined || isRecord(raw[field])) continue
    delete definition[field]
    repairs.push(`Its ${field} is not an object and was dropped.`)
  }
  if (raw['icons'] !== undefined && !Array.isArray(raw['icons'])) {
    delete definition['icons']
    repairs.push('Its icons are not a list and were dropped.')
  }
  if (isRecord(raw['execution'])) withoutTasks(definition, raw['execution'])
  definition['inputSchema'] = repairedSchema(raw['inputSchema'], repairs)
  return { definition, repairs, needsTask: needsTask(raw) }
}

/** The gateway offers no tasks, so that clients must not expect them of a tool. */
function withoutTasks(definition: Record<string, unknown>, execution: Readonly<Record<string, unknown>>): void {
  const { taskSupport: _, ...others } = execution
  if (Object.keys(others).length > 0) definition['execution'] = others
  else delete definition['execution']
}

/** Arguments are an object, even if the schema does not state it. */
function repairedSchema(schema: unknown, repairs: string[]): Readonly<Record<string, unknown>> {
  if (!isRecord(schema)) {
    repairs.push(`Its inputSchema ${schema === undefined ? 'is missing' : 'is not an object'}; it takes any arguments.`)
    return { type: 'object' }
  }
  const { type } = schema
  if (type === 'object') return schema
  const said = type === undefined ? 'has no type' : 'has another type'
  repairs.push(`Its inputSchema ${said}; "object" was put in.`)
  return { ...schema, type: 'object' }
}

function needsTask(raw: Readonly<Record<string, unknown>>): boolean {
  return isRecord(raw['execution']) && raw['execution']['taskSupport'] === 'required'
}

function short(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name
}
