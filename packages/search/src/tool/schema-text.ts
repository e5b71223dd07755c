import { isRecord } from '../is-record.ts'

/** Where words stand in a JSON Schema, each with its own worth. */
export interface SchemaText {
  /** Property names, outermost first. */
  readonly names: readonly string[]
  /** Descriptions, titles, and enum values of properties. */
  readonly details: readonly string[]
}

/** Schemas are untrusted input: beyond these limits the rest is not searched. */
const MOST_NODES = 400
const DEEPEST = 6
const MOST_ENUM_VALUES = 40
const MOST_CHARACTERS = 8192

const NESTED = ['items', 'additionalProperties', 'not', 'if', 'then', 'else'] as const
const BRANCHES = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const

/** The searchable text of a tool's parameters. `$ref` is never followed, so cycles cost nothing. */
export function schemaText(schema: unknown): SchemaText {
  const names: string[] = []
  const details: string[] = []
  let budget = MOST_CHARACTERS
  const keep = (list: string[], text: unknown): void => {
    if (typeof text !== 'string' || text === '' || budget <= 0) return
    const kept = text.length > budget ? text.slice(0, budget) : text
    list.push(kept)
    budget -= kept.length
  }
  const queue: { readonly node: Record<string, unknown>; readonly depth: number; readonly isRoot: boolean }[] = []
  if (isRecord(schema)) queue.push({ node: schema, depth: 0, isRoot: true })
  // Places where a node may be count, whether there is one or not.
  let places = 1
  const visit = (child: unknown, depth: number): void => {
    if (places >= MOST_NODES) return
    places++
    if (isRecord(child)) queue.push({ node: child, depth, isRoot: false })
  }
  for (let next = 0; next < queue.length; next++) {
    const { node, depth, isRoot } = queue[next] as (typeof queue)[number]
    // The root's title and description repeat the tool's own.
    if (!isRoot) keep(details, node['description'])
    const values = arrayOf(node['enum'])
    for (let i = 0; i < values.length && i < MOST_ENUM_VALUES; i++) keep(details, values[i])
    keep(details, node['const'])
    if (depth >= DEEPEST) continue
    const properties = node['properties']
    if (isRecord(properties)) {
      const known = Object.keys(properties)
      for (let i = 0; i < known.length && i < MOST_NODES; i++) {
        const name = known[i] as string
        keep(names, name)
        visit(properties[name], depth + 1)
      }
    }
    for (let i = 0; i < NESTED.length; i++) visit(node[NESTED[i] as string], depth + 1)
    for (let i = 0; i < BRANCHES.length; i++) {
      const branches = arrayOf(node[BRANCHES[i] as string])
      for (let j = 0; j < branches.length && j < MOST_NODES; j++) visit(branches[j], depth + 1)
    }
  }
  return { names, details }
}

const NOTHING: readonly unknown[] = []

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NOTHING
}
