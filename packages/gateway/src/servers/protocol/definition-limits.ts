import { isRecord } from '@tooldex/http-kit/json'
import { OUR_PREFIX, SERVER_LIMITS } from './server-limits.ts'

type Entry = Readonly<Record<string, unknown>>

/** An entry of a list within the limits. */
export interface LimitedEntry {
  /** Absent if the entry cannot be used. */
  readonly entry?: Entry
  /** Its length as JSON. */
  readonly characters: number
  /** What was cut or left out, one sentence each; empty for nearly all. */
  readonly remarks: readonly string[]
}

/** An entry of a list that was not read, because it is too large. */
export class UnreadEntry {
  readonly bytes: number

  constructor(bytes: number) {
    this.bytes = bytes
  }
}

const TEXTS = new Set(['description', 'title'])
const NAMES = ['name', 'uri', 'uriTemplate'] as const
const SCHEMAS = new Set(['inputSchema', 'outputSchema'])
const LONGEST_LABEL = 80

/** Keeps an entry of a server's list within the limits, and takes out marks that only the gateway may set. */
export function limitedEntry(raw: Entry): LimitedEntry {
  const entry = withoutOurMeta(raw)
  const { descriptionCharacters, nameCharacters, fieldCharacters } = SERVER_LIMITS
  const whole = extentOf(entry, fieldCharacters)
  const isSmall = whole.isWithin && whole.characters <= nameCharacters
  if (isSmall) return { entry, characters: whole.characters, remarks: [] }
  const label = labelOf(entry)
  for (const field of NAMES) {
    const name = entry[field]
    if (typeof name !== 'string' || name.length <= nameCharacters) continue
    const remark = `${label} is left out: its ${field} has more than ${nameCharacters} characters.`
    return { characters: 0, remarks: [remark] }
  }
  const limited: Record<string, unknown> = { ...entry }
  const remarks: string[] = []
  let characters = 2
  for (const [field, value] of Object.entries(entry)) {
    if (TEXTS.has(field) && typeof value === 'string' && value.length > descriptionCharacters) {
      limited[field] = `${value.slice(0, descriptionCharacters).replace(/[\uD800-\uDBFF]$/u, '')}…`
      remarks.push(
        `${label}: its ${field} has ${value.length} characters; the first ${descriptionCharacters} are kept.`,
      )
      characters += descriptionCharacters
      continue
    }
    const extent = extentOf(value, SCHEMAS.has(field) ? SERVER_LIMITS.schemaCharacters : fieldCharacters)
    characters += field.length + 4 + (extent.isWithin ? extent.characters : 0)
    if (extent.isWithin) continue
    if (field === 'inputSchema') limited[field] = { type: 'object' }
    else delete limited[field]
    remarks.push(
      `${label}: its ${field.slice(0, LONGEST_LABEL)} ${extent.reason} and was ${OUTCOME.get(field) ?? 'dropped'}.`,
    )
  }
  return { entry: limited, characters, remarks }
}

const OUTCOME = new Map([['inputSchema', 'replaced; the server checks its arguments']])

/** The `_meta` of a server without keys of ours. */
export function withoutOurMeta<Holder extends Entry>(holder: Holder): Holder {
  const meta = holder['_meta']
  if (!isRecord(meta)) return holder
  const kept = Object.entries(meta).filter(([key]) => !key.startsWith(OUR_PREFIX))
  if (kept.length === Object.keys(meta).length) return holder
  const { _meta, ...others } = holder
  return (kept.length === 0 ? others : { ...others, _meta: Object.fromEntries(kept) }) as unknown as Holder
}

/** A text of a server within a limit, with a remark if it was cut. */
export function limitedInstructions(text: string): { readonly text: string; readonly remark?: string } {
  const most = SERVER_LIMITS.instructionsCharacters
  if (text.length <= most) return { text }
  const remark = `Its instructions have ${text.length} characters; the first ${most} are kept.`
  return { text: `${text.slice(0, most)}…`, remark }
}

/** As many remarks as are kept, and the number of the others. */
export function limitedRemarks(remarks: readonly string[]): readonly string[] {
  const { remarks: most } = SERVER_LIMITS
  return remarks.length <= most ? remarks : [...remarks.slice(0, most), `And ${remarks.length - most} more remarks.`]
}

type Extent =
  | { readonly isWithin: true; readonly characters: number }
  | { readonly isWithin: false; readonly characters: number; readonly reason: string }

/** The length of a value as JSON, roughly, if it is within the limits. No recursion, because servers may nest deeply. */
export function extentOf(value: unknown, mostCharacters: number): Extent {
  let level: unknown[] = [value]
  let characters = 0
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > SERVER_LIMITS.levels) {
      return { isWithin: false, characters, reason: `nests deeper than ${SERVER_LIMITS.levels} levels` }
    }
    const next: unknown[] = []
    for (const each of level) {
      characters += charactersOf(each, next)
      if (characters > mostCharacters) {
        return { isWithin: false, characters, reason: `has more than ${mostCharacters} characters` }
      }
    }
    level = next
  }
  return { isWithin: true, characters }
}

function charactersOf(value: unknown, inner: unknown[]): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 4
  if (Array.isArray(value)) {
    for (const item of value) inner.push(item)
    return value.length + 2
  }
  let characters = 2
  for (const [name, member] of Object.entries(value)) {
    characters += name.length + 4
    inner.push(member)
  }
  return characters
}

function labelOf(entry: Entry): string {
  const name = NAMES.map((field) => entry[field]).find((each) => typeof each === 'string')
  if (typeof name !== 'string') return 'An entry without a name'
  return `"${name.length > LONGEST_LABEL ? `${name.slice(0, LONGEST_LABEL)}…` : name}"`
}
