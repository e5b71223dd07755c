// Whether the console's form fits a schema: a value made in it validates, and a valid value survives it.
import { isDeepStrictEqual } from 'node:util'
import { type Draft, draftOf, emptyDraft, itemSchema, valueOf } from '../../packages/console/src/try/draft.ts'
import { nodeOf, type SchemaNode } from '../../packages/console/src/try/schema-node.ts'
import { ArgumentValidator } from '../../packages/gateway/src/calls/validate-arguments.ts'

/** Why the form does not fit; empty if it does. */
export async function misfitsOf(schema: unknown): Promise<readonly string[]> {
  const misfits: string[] = []
  if (nodeOf(schema, schema).kind !== 'object') return ['the arguments are shown as JSON']
  const filled = fill(emptyDraft(schema, schema, true), schema, schema, 0)
  const { value, problems } = valueOf(filled, schema, schema)
  if (problems.length > 0) misfits.push(`the form refuses what it asks for: ${JSON.stringify(problems.slice(0, 2))}`)
  if (!(await isValid(schema, value))) misfits.push(`made in the form, invalid: ${JSON.stringify(value).slice(0, 200)}`)
  for (let seed = 0; seed < VALUES; seed++) {
    const sample = sampleOf(schema, schema, seed, 0)
    if (!(await isValid(schema, sample))) continue
    const { value: after, problems: found } = valueOf(draftOf(sample, schema, schema), schema, schema)
    if (!isDeepStrictEqual(after, sample)) misfits.push(`changed by the form: ${JSON.stringify(sample).slice(0, 200)}`)
    if (found.length > 0) misfits.push(`valid, but refused: ${JSON.stringify(found.slice(0, 2))}`)
  }
  return misfits
}

const VALUES = 20
const DEEPEST = 6

const validator = new ArgumentValidator()

async function isValid(inputSchema: unknown, value: unknown): Promise<boolean> {
  const tool = { name: 'tried', inputSchema } as Parameters<ArgumentValidator['check']>[0]
  return (await validator.check(tool, value as Record<string, unknown>)).length === 0
}

/** Fills the required fields, as a person does who knows only what the form shows. */
function fill(draft: Draft, schema: unknown, root: unknown, depth: number): Draft {
  const node = nodeOf(schema, root)
  if (depth > DEEPEST) return draft
  switch (node.kind) {
    case 'text':
      return { kind: 'text', text: textFor(node) }
    case 'number':
      return { kind: 'text', text: String(numberFor(node)) }
    case 'flag':
      return { kind: 'flag', on: true }
    case 'null':
      return { kind: 'null' }
    case 'choice':
      return { kind: 'choice', at: 0 }
    case 'json':
      return { kind: 'json', text: '{}' }
    case 'either': {
      const [variant] = node.variants
      return {
        kind: 'either',
        at: 0,
        draft: fill(emptyDraft(variant?.schema, root, true), variant?.schema, root, depth + 1),
      }
    }
    case 'list': {
      const items = Array.from({ length: node.min }, (_, place) => itemSchema(node, place))
      return { kind: 'list', items: items.map((each) => fill(emptyDraft(each, root, true), each, root, depth + 1)) }
    }
    case 'object': {
      const given = draft.kind === 'object' ? draft : { kind: 'object' as const, fields: {}, others: [] }
      const required = node.fields.filter(({ isRequired }) => isRequired)
      const fields = required.map(({ name, schema: part }) => [
        name,
        fill(emptyDraft(part, root, true), part, root, depth + 1),
      ])
      return { ...given, fields: { ...given.fields, ...Object.fromEntries(fields) } }
    }
  }
}

const FORMATTED: Readonly<Record<string, string>> = {
  ...{ email: 'a@example.org', date: '2026-11-18', 'date-time': '2026-11-18T10:00:00Z', time: '10:00:00Z' },
  ...{ uri: 'https://example.org/a', url: 'https://example.org/a', uuid: '123e4567-e89b-42d3-a456-426614174000' },
}

/** Patterns that are written out: a person reads them. */
function textFor({
  format,
  min = 0,
  max = Number.POSITIVE_INFINITY,
  pattern,
}: Extract<SchemaNode, { kind: 'text' }>): string {
  const known = format === undefined ? undefined : FORMATTED[format]
  if (known !== undefined) return known
  const tries = [
    'text',
    '2026-11-18',
    '2026-11-18T10:00:00Z',
    '10:00',
    '123',
    'ABC',
    'a',
    'https://example.org/a',
    '0x' + 'a'.repeat(40),
    '0x' + 'a'.repeat(64),
    'a'.repeat(24),
    'A1',
    '2026',
    '12345',
    'en',
    'en-US',
    '#ffffff',
    '1.0.0',
    'a@example.org',
    '123e4567-e89b-42d3-a456-426614174000',
    '1h',
    'a_b',
    '+15551234567',
    '2026-11',
    '/a',
    'file.txt',
    'owner/name',
  ]
  const fits = (text: string): boolean =>
    text.length >= min && text.length <= max && (pattern === undefined || new RegExp(pattern, 'u').test(text))
  const padded = 'x'.repeat(Math.max(min, Math.min(4, max)))
  try {
    return tries.find(fits) ?? padded
  } catch {
    return padded
  }
}

function numberFor({ min, max, step, isInteger }: Extract<SchemaNode, { kind: 'number' }>): number {
  const low = min ?? (max === undefined ? 1 : Math.min(1, max))
  if (step !== undefined) return Math.ceil(low / step) * step
  return isInteger ? Math.ceil(low) : low
}

/** A value by the schema alone, without the form. May be invalid; the caller checks it. */
function sampleOf(schema: unknown, root: unknown, seed: number, depth: number): unknown {
  if (typeof schema !== 'object' || schema === null || depth > DEEPEST + 2)
    return ['x', 1, true, null, { a: 1 }, [1]][seed % 6]
  const {
    $ref,
    const: only,
    enum: choices,
    anyOf,
    oneOf,
    allOf,
    type,
    properties,
    items,
    prefixItems,
    required,
  } = schema as Record<string, unknown>
  if (typeof $ref === 'string') return sampleOf(pointed($ref, root), root, seed, depth + 1)
  if (only !== undefined) return only
  if (Array.isArray(choices)) return choices[seed % choices.length]
  const either = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined
  if (either !== undefined && properties === undefined)
    return sampleOf(either[seed % either.length], root, seed, depth + 1)
  if (Array.isArray(allOf)) {
    const parts = allOf.map((part) => sampleOf(part, root, seed, depth + 1))
    return parts.length === 1 ? parts[0] : Object.assign({}, ...parts)
  }
  const kind = Array.isArray(type)
    ? type[seed % type.length]
    : (type ?? (properties === undefined ? undefined : 'object'))
  const node = { ...(schema as object), type: kind }
  switch (kind) {
    case 'string': {
      const shown = nodeOf(node, root)
      return shown.kind === 'text' ? textFor(shown) : 'x'
    }
    case 'number':
    case 'integer': {
      const shown = nodeOf(node, root)
      return shown.kind === 'number'
        ? numberFor(shown) + (kind === 'number' && seed % 3 === 0 && shown.max === undefined ? 0.5 : 0)
        : 1
    }
    case 'boolean':
      return seed % 2 === 0
    case 'null':
      return null
    case 'array': {
      const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
      const { minItems = 0 } = schema as { minItems?: number }
      const length = Math.max(minItems, first.length, depth > DEEPEST ? 0 : seed % 3)
      return Array.from({ length }, (_, place) =>
        sampleOf(first[place] ?? (Array.isArray(items) ? true : items), root, seed + place, depth + 1),
      )
    }
    case 'object': {
      const needed = new Set(Array.isArray(required) ? required : [])
      const entries = Object.entries((properties ?? {}) as object).filter(
        ([name], place) => needed.has(name) || (depth < DEEPEST && (seed + place) % 2 === 0),
      )
      const { additionalProperties } = schema as { additionalProperties?: unknown }
      const extra =
        typeof additionalProperties === 'object' && seed % 2 === 1
          ? [['another', sampleOf(additionalProperties, root, seed, depth + 1)]]
          : []
      return Object.fromEntries([
        ...entries.map(([name, part]) => [name, sampleOf(part, root, seed + name.length, depth + 1)]),
        ...extra,
      ] as [string, unknown][])
    }
    default:
      return ['x', 1, true, null, { a: 1 }, [1]][seed % 6]
  }
}

function pointed(reference: string, root: unknown): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (place, name) =>
        (place as Record<string, unknown> | undefined)?.[
          decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')
        ],
      root,
    )
}
