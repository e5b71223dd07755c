// Plausible answers of a fictional service: deterministic, with errors for invalid arguments.
import type { SampleSchema, SampleTool } from './sample-catalog.ts'

type Arguments = Readonly<Record<string, unknown>>
type Answer = Readonly<Record<string, unknown>>

/** The MCP result of a sample tool. */
export interface SampleResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent?: Answer
  readonly isError?: true
}

const LISTS = /^(?:list|search|find|query|metrics|logs|alerts\.list|get_?reviews|explain)|検索$/i
const REMOVES = /delete|cancel|remove|drain|削除/i
const MAKES = /create|add|book|open|post|send|log|register|reserve|request|submit|登録|作成|発注/i
const NOWHERE = /(?:^|[^a-z])(?:missing|unknown|nonexistent|does[-_ ]?not[-_ ]?exist|404)(?:$|[^a-z])/i
const WORDS = ['Autumn release', 'Broken link', 'Weekly review', 'Invoice follow-up', 'Slow search', 'New onboarding']
const PEOPLE = ['a.ito', 'b.novak', 'c.okafor', 'd.lund', 'e.rossi']
const STATES = ['open', 'in_progress', 'done']
const FIRST_DAY = Date.UTC(2026, 0, 5, 9)
const DAY_MS = 86_400_000

/** The result of a tool for these arguments. */
export function sampleAnswer(tool: SampleTool, args: Arguments): SampleResult {
  const mistake = mistakeIn(tool.inputSchema, args)
  if (mistake !== undefined) return refusal(mistake)
  const seed = hash(`${tool.name} ${JSON.stringify(Object.entries(args).toSorted(([a], [b]) => (a < b ? -1 : 1)))}`)
  const answer = answerOf(tool.name, args, seed)
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer }
}

function answerOf(name: string, args: Arguments, seed: number): Answer {
  if (LISTS.test(name)) {
    const count = Math.min(3, typeof args['limit'] === 'number' ? Math.max(0, Math.floor(args['limit'])) : 3)
    const items = Array.from({ length: count }, (_, index) => thing(hash(`${seed} ${index}`)))
    return { items, total: count }
  }
  if (REMOVES.test(name)) return { done: true, ...scalars(args), at: day(seed) }
  if (MAKES.test(name)) return { id: id(seed), ...scalars(args), created_at: day(seed), created_by: pick(PEOPLE, seed) }
  return { ...thing(seed), ...scalars(args) }
}

function thing(seed: number): Answer {
  return {
    id: id(seed),
    title: pick(WORDS, seed),
    status: pick(STATES, seed >>> 3),
    owner: pick(PEOPLE, seed >>> 5),
    updated_at: day(seed),
  }
}

/** Repeats the caller's values, like a service that stored them. */
function scalars(args: Arguments): Answer {
  return Object.fromEntries(
    Object.entries(args).filter(([, value]) =>
      typeof value === 'string' ? value.length <= 200 : typeof value === 'number' || typeof value === 'boolean',
    ),
  )
}

/** The first problem with the arguments, in a sentence. */
function mistakeIn(schema: SampleSchema, args: Arguments): string | undefined {
  for (const name of schema.required ?? []) {
    if (args[name] === undefined) return `${name} is required`
  }
  for (const [name, value] of Object.entries(args)) {
    const property = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined
    const mistake = property === undefined ? undefined : mistakeOf(name, property, value)
    if (mistake !== undefined) return mistake
  }
  const [from, to] = [args['from'] ?? args['start'], args['to'] ?? args['end']].map((each) => Date.parse(String(each)))
  return from !== undefined && to !== undefined && to < from ? 'it ends before it begins' : undefined
}

function mistakeOf(name: string, schema: SampleSchema, value: unknown): string | undefined {
  const isRight = TYPES.get(schema.type ?? '')?.(value) ?? true
  if (!isRight) return `${name} must be of type ${schema.type}`
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return `${name} must be one of ${schema.enum.join(', ')}`
  if (schema.format?.startsWith('date') === true && Number.isNaN(Date.parse(String(value))))
    return `${name} is not a date`
  if (typeof value === 'string' && NOWHERE.test(value))
    return `there is no ${name} ${JSON.stringify(value.slice(0, 80))}`
  return undefined
}

const TYPES = new Map<string, (value: unknown) => boolean>([
  ['string', (value) => typeof value === 'string'],
  ['integer', (value) => Number.isInteger(value)],
  ['number', (value) => typeof value === 'number'],
  ['boolean', (value) => typeof value === 'boolean'],
  ['array', (value) => Array.isArray(value)],
  ['object', (value) => typeof value === 'object' && value !== null && !Array.isArray(value)],
])

const refusal = (text: string): SampleResult => ({ isError: true, content: [{ type: 'text', text }] })
const id = (seed: number): string => `S-${1_000 + (seed % 9_000)}`
const day = (seed: number): string => new Date(FIRST_DAY + (seed % 300) * DAY_MS).toISOString()
const pick = (from: readonly string[], seed: number): string => from[seed % from.length] ?? ''

/** FNV-1a: small, and the same everywhere. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return value
}
