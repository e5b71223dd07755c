import { isRecord } from '@tooldex/http-kit/json'
import { nodeOf, type SchemaNode } from './schema-node.ts'

/** What a person has entered for a value so far. */
export type Draft =
  | { readonly kind: 'unset' }
  /** Also numbers, which may be half typed. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'flag'; readonly on: boolean }
  | { readonly kind: 'null' }
  | { readonly kind: 'choice'; readonly at: number }
  | {
      readonly kind: 'object'
      readonly fields: Readonly<Record<string, Draft>>
      readonly others: readonly { readonly name: string; readonly draft: Draft }[]
    }
  | { readonly kind: 'list'; readonly items: readonly Draft[] }
  | { readonly kind: 'either'; readonly at: number; readonly draft: Draft }
  /** Any JSON: for schemas that a form cannot show, and for values that do not fit their schema. */
  | { readonly kind: 'json'; readonly text: string }

/** What is wrong with a draft, and where: `items[0].name`. */
export interface DraftProblem {
  readonly path: string
  readonly what:
    | 'required'
    | 'number'
    | 'integer'
    | 'json'
    | 'tooLow'
    | 'tooHigh'
    | 'tooShort'
    | 'tooLong'
    | 'tooFew'
    | 'tooMany'
    | 'format'
  readonly limit?: number | string
}

const UNSET: Draft = { kind: 'unset' }
/** Deeper values are shown as JSON. */
const DEEPEST = 12

/** The value of a draft; `undefined` if nothing is entered. */
export function valueOf(draft: Draft, schema: unknown, root: unknown): { value: unknown; problems: DraftProblem[] } {
  const problems: DraftProblem[] = []
  const value = read(draft, nodeOf(schema, root), root, '', (problem) => problems.push(problem))
  return { value, problems }
}

type Tell = (problem: DraftProblem) => void

function read(draft: Draft, node: SchemaNode, root: unknown, path: string, tell: Tell): unknown {
  switch (draft.kind) {
    case 'unset':
      return undefined
    case 'flag':
      return draft.on
    case 'null':
      return null
    case 'choice':
      return node.kind === 'choice' ? node.choices[draft.at] : undefined
    case 'json':
      return readJson(draft.text, path, tell)
    case 'text':
      return readText(draft.text, node, path, tell)
    case 'either': {
      const variant = node.kind === 'either' ? node.variants[draft.at] : undefined
      return variant === undefined ? undefined : read(draft.draft, nodeOf(variant.schema, root), root, path, tell)
    }
    case 'list':
      return readList(draft.items, node, root, path, tell)
    case 'object':
      return readObject(draft, node, root, path, tell)
  }
}

function readJson(text: string, path: string, tell: Tell): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    tell({ path, what: 'json' })
    return undefined
  }
}

function readText(text: string, node: SchemaNode, path: string, tell: Tell): unknown {
  if (node.kind === 'number') {
    const value = Number(text)
    if (text.trim() === '' || !Number.isFinite(value)) tell({ path, what: 'number' })
    else if (node.isInteger && !Number.isInteger(value)) tell({ path, what: 'integer' })
    else if (node.min !== undefined && value < node.min) tell({ path, what: 'tooLow', limit: node.min })
    else if (node.max !== undefined && value > node.max) tell({ path, what: 'tooHigh', limit: node.max })
    else return value
    return undefined
  }
  if (node.kind === 'text') {
    const length = [...text].length
    if (node.min !== undefined && length < node.min) tell({ path, what: 'tooShort', limit: node.min })
    if (node.max !== undefined && length > node.max) tell({ path, what: 'tooLong', limit: node.max })
    if (node.format !== undefined && !hasFormat(text, node.format)) tell({ path, what: 'format', limit: node.format })
  }
  return text
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/i,
  time: /^\d{2}:\d{2}/,
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
}

function hasFormat(text: string, format: string): boolean {
  if (format === 'uri' || format === 'url') return URL.canParse(text)
  return FORMATS[format]?.test(text) ?? true
}

function readList(items: readonly Draft[], node: SchemaNode, root: unknown, path: string, tell: Tell): unknown {
  if (node.kind !== 'list') return undefined
  if (items.length < node.min) tell({ path, what: 'tooFew', limit: node.min })
  if (items.length > node.max) tell({ path, what: 'tooMany', limit: node.max })
  return items.map((item, place) => {
    const here = `${path}[${place}]`
    const value = read(item, nodeOf(itemSchema(node, place), root), root, here, tell)
    if (value === undefined && item.kind === 'unset') tell({ path: here, what: 'required' })
    return value ?? null
  })
}

/** The schema of an item of a list. */
export function itemSchema({ first, rest }: Extract<SchemaNode, { kind: 'list' }>, place: number): unknown {
  return place < first.length ? first[place] : rest
}

function readObject(
  { fields, others }: Extract<Draft, { kind: 'object' }>,
  node: SchemaNode,
  root: unknown,
  path: string,
  tell: Tell,
): unknown {
  if (node.kind !== 'object') return undefined
  const entries: [string, unknown][] = []
  const take = (name: string, draft: Draft, schema: unknown, isRequired: boolean): void => {
    const here = path === '' ? name : `${path}.${name}`
    const value = read(draft, nodeOf(schema, root), root, here, tell)
    if (value !== undefined) entries.push([name, value])
    else if (isRequired && draft.kind === 'unset') tell({ path: here, what: 'required' })
  }
  for (const { name, schema, isRequired } of node.fields) take(name, fields[name] ?? UNSET, schema, isRequired)
  for (const { name, draft } of others) if (name !== '') take(name, draft, node.others, false)
  if (entries.length < node.min) tell({ path, what: 'tooFew', limit: node.min })
  return Object.fromEntries(entries)
}

/** The draft that shows a value; as JSON where it does not fit its schema. */
export function draftOf(value: unknown, schema: unknown, root: unknown, depth = 0): Draft {
  if (value === undefined) return UNSET
  const node = nodeOf(schema, root)
  const asJson: Draft = { kind: 'json', text: JSON.stringify(value, null, 2) }
  if (depth > DEEPEST) return asJson
  switch (node.kind) {
    case 'text':
      return typeof value === 'string' ? { kind: 'text', text: value } : asJson
    case 'number':
      return typeof value === 'number' ? { kind: 'text', text: String(value) } : asJson
    case 'flag':
      return typeof value === 'boolean' ? { kind: 'flag', on: value } : asJson
    case 'null':
      return value === null ? { kind: 'null' } : asJson
    case 'choice': {
      const wanted = JSON.stringify(value)
      const at = node.choices.findIndex((choice) => JSON.stringify(choice) === wanted)
      return at < 0 ? asJson : { kind: 'choice', at }
    }
    case 'either': {
      const at = node.variants.findIndex((variant) => fits(value, variant.schema, root, depth))
      const variant = node.variants[at]
      return variant === undefined
        ? asJson
        : { kind: 'either', at, draft: draftOf(value, variant.schema, root, depth + 1) }
    }
    case 'list':
      if (!Array.isArray(value)) return asJson
      return {
        kind: 'list',
        items: value.map((item, place) => draftOf(item, itemSchema(node, place), root, depth + 1)),
      }
    case 'object':
      return isRecord(value) ? objectDraft(value, node, root, depth) : asJson
    case 'json':
      return asJson
  }
}

function objectDraft(
  value: Readonly<Record<string, unknown>>,
  node: Extract<SchemaNode, { kind: 'object' }>,
  root: unknown,
  depth: number,
): Draft {
  const known = new Map(node.fields.map(({ name, schema }) => [name, schema]))
  const fields = Object.entries(value).filter(([name]) => known.has(name))
  const others = Object.entries(value).filter(([name]) => !known.has(name))
  if (others.some(([name]) => name === '' || node.others === undefined)) {
    return { kind: 'json', text: JSON.stringify(value, null, 2) }
  }
  return {
    kind: 'object',
    fields: Object.fromEntries(fields.map(([name, part]) => [name, draftOf(part, known.get(name), root, depth + 1)])),
    others: others.map(([name, part]) => ({ name, draft: draftOf(part, node.others, root, depth + 1) })),
  }
}

/** Whether a form for the schema can show the value with fields. */
function fits(value: unknown, schema: unknown, root: unknown, depth: number): boolean {
  const draft = draftOf(value, schema, root, depth + 1)
  if (nodeOf(schema, root).kind !== 'json' && draft.kind === 'json') return false
  return valueOf(draft, schema, root).problems.length === 0 && !hasJson(draft, schema, root)
}

/** Whether a part of the value did not fit its own schema. */
function hasJson(draft: Draft, schema: unknown, root: unknown): boolean {
  const node = nodeOf(schema, root)
  if (draft.kind === 'json') return node.kind !== 'json'
  if (draft.kind === 'object' && node.kind === 'object') {
    return (
      node.fields.some(({ name, schema: part }) => hasJson(draft.fields[name] ?? UNSET, part, root)) ||
      draft.others.some(({ draft: part }) => hasJson(part, node.others, root))
    )
  }
  if (draft.kind === 'list' && node.kind === 'list') {
    return draft.items.some((item, place) => hasJson(item, itemSchema(node, place), root))
  }
  return false
}

/** The first draft of a field: what the schema fixes, and open objects whose fields are required. */
export function emptyDraft(schema: unknown, root: unknown, isRequired: boolean, depth = 0): Draft {
  if (!isRequired || depth > DEEPEST) return UNSET
  const node = nodeOf(schema, root)
  switch (node.kind) {
    case 'choice':
      return node.choices.length === 1 ? { kind: 'choice', at: 0 } : UNSET
    case 'null':
      return { kind: 'null' }
    case 'either':
      return { kind: 'either', at: 0, draft: emptyDraft(node.variants[0]?.schema, root, true, depth + 1) }
    case 'object':
      return {
        kind: 'object',
        fields: Object.fromEntries(
          node.fields.map((field) => [field.name, emptyDraft(field.schema, root, field.isRequired, depth + 1)]),
        ),
        others: [],
      }
    case 'list':
      return {
        kind: 'list',
        items: Array.from({ length: Math.min(node.min, DEEPEST) }, (_, place) =>
          emptyDraft(itemSchema(node, place), root, true, depth + 1),
        ),
      }
    default:
      return UNSET
  }
}
