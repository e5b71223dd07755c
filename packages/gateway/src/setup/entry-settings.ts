import type { JsonObject } from '@tooldex/http-kit/json'
import { asRecord } from '../config/merge-config.ts'
import type { ClientSpec } from './client-specs.ts'
import type { Note, ReadServer } from './read-server.ts'

/** Keys that only describe an entry. */
const HARMLESS: ReadonlySet<string> = new Set(['name', 'description', 'source', 'display_name', 'bundled', 'version'])

/** Collects the notes about an entry, and the keys that were read: the others are reported. */
export class EntryNotes {
  readonly notes: Note[] = []
  readonly #used = new Set<string>(['type', 'transport', 'transportType'])

  add(code: string, detail?: unknown): void {
    const note = detail === undefined ? { code } : { code, detail }
    const isKnown = this.notes.some((each) => JSON.stringify(each) === JSON.stringify(note))
    if (!isKnown) this.notes.push(note)
  }

  use(...keys: readonly string[]): void {
    for (const key of keys) this.#used.add(key)
  }

  /** Reports the keys of an entry that have no effect in its client, or no counterpart here. */
  reportRest(entry: JsonObject, { ignored = [], silent = [] }: ClientSpec): void {
    for (const key of Object.keys(entry)) {
      if (ignored.includes(key)) this.add('ignored-key', key)
      else if (HARMLESS.has(key)) continue
      else if (silent.includes(key)) this.add('no-counterpart', key)
      else if (!this.#used.has(key)) this.add('unknown-key', key)
    }
  }
}

/** The settings that programs and addresses have alike: on or off, filters, time limits. */
export function readSettings(
  entry: JsonObject,
  spec: ClientSpec,
  notes: EntryNotes,
): Pick<ReadServer, 'enabled' | 'timeoutMs' | 'startupTimeoutMs' | 'tools'> {
  const tools = toolsOf(entry, spec, notes)
  const timeoutMs = milliseconds(entry, spec.timeout, notes) ?? spec.timeout?.fallback
  const inMilliseconds = milliseconds(entry, { key: 'startup_timeout_ms', unit: 1 }, notes)
  const startupTimeoutMs = milliseconds(entry, spec.startupTimeout, notes) ?? inMilliseconds
  noteApprovals(entry, spec, notes)
  if (spec.eagerKey !== undefined && entry[spec.eagerKey] !== undefined) {
    notes.use(spec.eagerKey)
    notes.add('eager-loading', spec.eagerKey)
  }
  return {
    enabled: isEnabled(entry, spec, notes),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(startupTimeoutMs !== undefined && { startupTimeoutMs }),
    ...(tools !== undefined && { tools }),
  }
}

function isEnabled(entry: JsonObject, { off, id }: ClientSpec, notes: EntryNotes): boolean {
  const isEither = id === 'other' || id === 'opencode'
  const isOff =
    ((off === 'disabled' || isEither) && entry['disabled'] === true) ||
    ((off === 'enabled' || isEither) && entry['enabled'] === false)
  if (off !== undefined) notes.use(off)
  if (isEither) notes.use('enabled', 'disabled')
  if (isOff) notes.add('disabled')
  return !isOff
}

function toolsOf(entry: JsonObject, { allowKey, denyKey }: ClientSpec, notes: EntryNotes): ReadServer['tools'] {
  const allow = namesAt(entry, allowKey, notes).filter((tool) => tool !== '*')
  const deny = namesAt(entry, denyKey, notes)
  if (allow.length > 0) notes.add('tool-filter', allowKey)
  if (deny.length > 0) notes.add('tool-filter', denyKey)
  if (allow.length + deny.length === 0) return undefined
  return { ...(allow.length > 0 && { allow }), ...(deny.length > 0 && { deny }) }
}

function noteApprovals(entry: JsonObject, { approvalKey, id }: ClientSpec, notes: EntryNotes): void {
  for (const tool of namesAt(entry, approvalKey, notes)) notes.add('tool-approval', tool)
  if (id === 'codex') {
    notes.use('tools')
    for (const [tool, settings] of Object.entries(asRecord(entry['tools']))) {
      if (asRecord(settings)['approval_mode'] === 'approve') notes.add('tool-approval', tool)
    }
  }
  if (entry['trust'] === undefined) return
  notes.use('trust')
  if (entry['trust'] === true) notes.add('auto-approve')
}

function namesAt(entry: JsonObject, key: string | undefined, notes: EntryNotes): readonly string[] {
  if (key === undefined) return []
  notes.use(key)
  return texts(entry[key])
}

function milliseconds(
  entry: JsonObject,
  from: { readonly key: string; readonly unit: 1 | 1000 } | undefined,
  notes: EntryNotes,
): number | undefined {
  const value = from === undefined ? undefined : entry[from.key]
  if (from === undefined || typeof value !== 'number' || !(value > 0)) return undefined
  notes.use(from.key)
  return Math.round(value * from.unit)
}

/** A text, number or truth value. */
export const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

/** The scalars of a list as texts. */
export function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(isScalar).map(String) : []
}
