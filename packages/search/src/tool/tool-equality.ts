import type { McpTool } from './tool.ts'

/** An MCP server's definition of a tool: the fields that must agree between the backends of one tool. */
const MCP_FIELDS = [
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
  'icons',
  '_meta',
] as const satisfies readonly (keyof McpTool)[]

/** The first MCP field in which two tools differ, or `undefined` when they agree in all. */
export function differingMcpField(a: McpTool, b: McpTool): keyof McpTool | undefined {
  return MCP_FIELDS.find((field) => !isSameJson(a[field], b[field]))
}

/**
 * Whether two JSON values are equal, in any order of keys. For snapshots (see `snapshotJson`): JSON data
 * without cycles, of any depth.
 */
export function isSameJson(a: unknown, b: unknown): boolean {
  const pairs: unknown[] = [a, b]
  while (pairs.length > 0) {
    const right = pairs.pop()
    const left = pairs.pop()
    if (left === right) continue
    if (!isContainer(left) || !isContainer(right) || !isSameShape(left, right)) return false
    for (const key of Object.keys(left)) pairs.push(left[key], right[key])
  }
  return true
}

function isSameShape(left: object, right: object): boolean {
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const keys = Object.keys(left)
  return keys.length === Object.keys(right).length && keys.every((key) => Object.hasOwn(right, key))
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
