import { canonicalText } from '../../model/canonical-json.ts'
import type { AuditedChange } from '../../model/audit.ts'
import { DEFAULT_PROJECT } from '../../model/gateway-model.ts'
import type { StoredState } from '../../model/stored-state.ts'

/** Parts whose keys are told apart: the names of variables and headers say more than "env". */
const NAMED_PARTS: ReadonlySet<string> = new Set(['env', 'headers', 'toolPermissions', 'tools'])
/** Not a change of the configuration. */
const UNTOLD: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt'])

/** Every gateway has this project: its first stored settings change it, and removing them resets it. */
const isLasting = (of: AuditedChange['of'], id: string): boolean => of === 'project' && id === DEFAULT_PROJECT

type Fields = Readonly<Record<string, unknown>>

interface Named {
  readonly id: string
  readonly name?: string
  readonly fields: Fields
}

/** The entries that differ between two states, with the names of their changed fields and without values. */
export function changesBetween(before: StoredState, after: StoredState): readonly AuditedChange[] {
  return [
    ...changesOf('server', ...changedEntries(before.servers, after.servers)),
    ...orderChange(before, after),
    ...changesOf('project', ...changedEntries(before.projects, after.projects)),
    ...changesOf('endpoint', ...changedEntries(before.endpoints, after.endpoints)),
    ...changesOf('token', ...changedTokens(before, after)),
    ...changesOf('setting', settingsOf(before), settingsOf(after)),
  ]
}

function changesOf(of: AuditedChange['of'], before: readonly Named[], after: readonly Named[]): AuditedChange[] {
  const old = new Map(before.map((entry) => [entry.id, entry]))
  const kept = new Set(after.map(({ id }) => id))
  const change = (entry: Named, one: Fields, other: Fields): AuditedChange[] => {
    const fields = changedFields(one, other)
    return fields.length === 0 ? [] : [changeOf(of, entry, 'changed', fields)]
  }
  const gone = before
    .filter(({ id }) => !kept.has(id))
    .flatMap((entry) =>
      isLasting(of, entry.id) ? change(entry, entry.fields, {}) : [changeOf(of, entry, 'removed', [])],
    )
  const others = after.flatMap((entry) => {
    const known = old.get(entry.id)
    if (known === undefined && !isLasting(of, entry.id)) return [changeOf(of, entry, 'added', [])]
    return change(entry, known?.fields ?? {}, entry.fields)
  })
  return [...others, ...gone]
}

function changeOf(
  of: AuditedChange['of'],
  { id, name }: Named,
  how: AuditedChange['how'],
  fields: readonly string[],
): AuditedChange {
  return { of, id, ...(name !== undefined && { name }), how, fields }
}

function changedFields(before: Fields, after: Fields): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  return names.flatMap((name) => {
    const [one, other] = [before[name], after[name]]
    if (UNTOLD.has(name) || canonicalText([one]) === canonicalText([other])) return []
    if (!NAMED_PARTS.has(name)) return [name]
    return changedFields(recordOf(one), recordOf(other)).map((key) => `${name}.${key}`)
  })
}

function recordOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

type Configured = readonly { readonly id: string; readonly config: object }[]

/** Entries that did not change are the same objects, and are left out. */
function changedEntries(before: Configured, after: Configured): [before: Named[], after: Named[]] {
  const [old, current] = [new Set(before), new Set(after)]
  const named = ({ id, config }: Configured[number]): Named => ({
    id,
    ...nameIn(config as Fields),
    fields: config as Fields,
  })
  return [before.filter((entry) => !current.has(entry)).map(named), after.filter((entry) => !old.has(entry)).map(named)]
}

/** The name that people gave to an entry; the console shows it instead of the id. */
function nameIn({ name }: Fields): Pick<Named, 'name'> {
  return typeof name === 'string' && name !== '' ? { name } : {}
}

/** The hash stands for the secret: "hash" as a changed field says that the secret was replaced. */
function changedTokens(before: StoredState, after: StoredState): [before: Named[], after: Named[]] {
  const ids = [...after.tokens.changedSince(before.tokens)]
  const of = ({ tokens }: StoredState): Named[] =>
    ids.flatMap((id) => tokens.get(id) ?? []).map((token) => ({ id: token.id, name: token.name, fields: { ...token } }))
  return [of(before), of(after)]
}

function settingsOf({ settings }: StoredState): Named[] {
  return [...settings].map(([id, value]) => ({ id, fields: { value } }))
}

/** The order of the servers is their priority. */
function orderChange(before: StoredState, after: StoredState): AuditedChange[] {
  if (before.servers === after.servers) return []
  const kept = (one: StoredState, other: StoredState) => {
    const ids = new Set(other.servers.map(({ id }) => id))
    return one.servers.flatMap(({ id }) => (ids.has(id) ? [id] : []))
  }
  const isSame = canonicalText(kept(before, after)) === canonicalText(kept(after, before))
  return isSame ? [] : [{ of: 'setting', id: 'serverOrder', how: 'changed', fields: ['value'] }]
}
