/** A field that was changed here and elsewhere, to different values. */
export interface Conflict {
  readonly field: string
  readonly mine: unknown
  readonly theirs: unknown
}

/** A draft, and the values that it is compared with: those that were last loaded. */
export interface DraftState<Draft extends object> {
  readonly loaded: Draft
  readonly draft: Draft
  /** Fields with a typed value that is not saved. */
  readonly touched: ReadonlySet<string>
  /** Touched fields that were changed elsewhere as well, until somebody decides. */
  readonly undecided: ReadonlySet<string>
}

/** A draft in which nothing was typed yet. */
export function untouched<Draft extends object>(loaded: Draft): DraftState<Draft> {
  return { loaded, draft: loaded, touched: new Set(), undecided: new Set() }
}

/** The draft after typing. Typing the loaded value again takes a change back. */
export function typed<Draft extends object>(state: DraftState<Draft>, draft: Draft): DraftState<Draft> {
  const [before, now, loaded] = [fieldsOf(state.draft), fieldsOf(draft), fieldsOf(state.loaded)]
  const touched = new Set(state.touched)
  for (const field of namesOf(before, now)) {
    if (isSame(now.get(field), before.get(field))) continue
    if (isSame(now.get(field), loaded.get(field))) touched.delete(field)
    else touched.add(field)
  }
  const undecided = new Set([...state.undecided].filter((field) => touched.has(field)))
  return { ...state, draft, touched, undecided }
}

/** The draft over newly loaded values: fields that were not touched follow them, touched ones keep what was typed. */
export function rebased<Draft extends object>(state: DraftState<Draft>, theirs: Draft): DraftState<Draft> {
  const [before, now, mine] = [fieldsOf(state.loaded), fieldsOf(theirs), fieldsOf(state.draft)]
  const draft = new Map<string, unknown>()
  const undecided = new Set<string>()
  for (const field of namesOf(before, now, mine)) {
    const isTouched = state.touched.has(field)
    draft.set(field, (isTouched ? mine : now).get(field))
    const isChangedThere = !isSame(now.get(field), before.get(field)) || state.undecided.has(field)
    if (isTouched && isChangedThere && !isSame(mine.get(field), now.get(field))) undecided.add(field)
  }
  const fields = [...draft].filter(([, value]) => value !== undefined)
  return { loaded: theirs, draft: Object.fromEntries(fields) as Draft, touched: state.touched, undecided }
}

/** The draft after a conflict was decided. */
export function decided<Draft extends object>(
  state: DraftState<Draft>,
  field: string,
  keep: 'mine' | 'theirs',
): DraftState<Draft> {
  if (keep === 'theirs') return typed(state, { ...state.draft, [field]: fieldsOf(state.loaded).get(field) })
  return { ...state, undecided: new Set([...state.undecided].filter((each) => each !== field)) }
}

/** The draft after `sent` was saved as `saved`: what was typed meanwhile stays. */
export function afterSaving<Draft extends object>(
  state: DraftState<Draft>,
  sent: Draft,
  saved: Draft,
): DraftState<Draft> {
  const [mine, then] = [fieldsOf(state.draft), fieldsOf(sent)]
  const touched = new Set([...state.touched].filter((field) => !isSame(mine.get(field), then.get(field))))
  return rebased({ ...state, loaded: saved, touched, undecided: new Set() }, saved)
}

/** The conflicts that are not decided yet. */
export function conflictsIn<Draft extends object>({ loaded, draft, undecided }: DraftState<Draft>): Conflict[] {
  const [theirs, mine] = [fieldsOf(loaded), fieldsOf(draft)]
  return [...undecided].map((field) => ({ field, mine: mine.get(field), theirs: theirs.get(field) }))
}

/** Whether any field differs. */
export function differs(one: object, other: object): boolean {
  const [left, right] = [fieldsOf(one), fieldsOf(other)]
  return [...namesOf(left, right)].some((field) => !isSame(left.get(field), right.get(field)))
}

type Patch = Readonly<Record<string, unknown>> & { readonly unset?: readonly string[] }

/** The part of a change that differs from the same change for the values before: a request has nothing else. */
export function onlyChanged<Body extends object>(now: Body, before: object): Body {
  const { unset = [], ...set } = now as Patch
  const { unset: unsetBefore = [], ...setBefore } = before as Patch
  const old = fieldsOf(setBefore)
  const changed = Object.entries(set).filter(([name, value]) => !isSame(value, old.get(name)))
  const lifted = unset.filter((name) => !unsetBefore.includes(name))
  return { ...Object.fromEntries(changed), ...(lifted.length > 0 && { unset: lifted }) } as Body
}

function fieldsOf(values: object): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(values).filter(([, value]) => value !== undefined))
}

function namesOf(...all: readonly ReadonlyMap<string, unknown>[]): Set<string> {
  return new Set(all.flatMap((each) => [...each.keys()]))
}

/** Whether two values of JSON are the same; the order of keys does not matter. */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  return !differs(one, other) && Object.keys(one).length === Object.keys(other).length
}
