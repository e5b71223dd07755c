import type { AdminRouteId, RouteAnswer } from '@tooldex/contract/admin'
import { useEffect, useRef, useState } from 'react'
import type { CallInput } from '../../api/call.ts'
import type { ApiProblem } from '../../api/problem.ts'
import { useText } from '../../text/text.ts'
import {
  afterSaving,
  type Conflict,
  conflictsIn,
  decided,
  type DraftState,
  onlyChanged,
  rebased,
  typed,
  untouched,
} from './draft.ts'
import { type ChangeOptions, useChange } from './use-change.ts'

/** The operations that change an entry against its revision. */
type EditOperation = Extract<
  AdminRouteId,
  'changeServer' | 'changeProject' | 'changeEndpoint' | 'changeToken' | 'changeSettings' | 'changeProjectTool'
>

/** An entry with the revision that a change is based on. */
interface Revised {
  readonly revision?: string | undefined
  readonly updatedAt?: number | undefined
}

interface EditOptions<Id extends EditOperation, Entry extends Revised, Draft extends object>
  extends Pick<ChangeOptions<Id>, 'touches' | 'onDone'> {
  /** The entry as it was last loaded. */
  readonly entry: Entry
  readonly draftOf: (entry: Entry) => Draft
  /** The complete change that stores a draft over an entry; what is the same for the entry as it is, is not sent. */
  readonly patchOf: (draft: Draft, entry: Entry) => object
  /** The address of the entry. */
  readonly at: Pick<CallInput<Id>, 'params'>
  /** The entry in the answer to a change. */
  readonly entryIn: (answer: RouteAnswer<Id>) => Entry
  /** Whether the toast after saving offers to undo it. */
  readonly canUndo?: boolean
}

/** The state of a form that changes an entry. */
export interface EditForm<Draft> {
  readonly draft: Draft
  readonly set: (part: Partial<Draft>) => void
  readonly replace: (draft: Draft) => void
  /** Whether anything was typed that is not saved. */
  readonly isChanged: boolean
  readonly conflicts: readonly Conflict[]
  readonly decide: (field: string, keep: 'mine' | 'theirs') => void
  readonly submit: () => void
  /** The operation that the form sends. */
  readonly needs: AdminRouteId
  readonly change: { readonly isPending: boolean; readonly error: ApiProblem | null }
}

/** How often a change is sent again over a newer revision before the refusal is shown. */
const MOST_ATTEMPTS = 3

/**
 * A form over an entry that others may change at the same time. It sends only what was changed, against the revision that it
 * shows. Newly loaded values replace fields that were not touched; a field that changed in both places is a conflict, which
 * has to be decided before saving.
 */
export function useEditForm<Id extends EditOperation, Entry extends Revised, Draft extends object>(
  operation: Id,
  { entry, draftOf, patchOf, at, entryIn, canUndo = false, touches, onDone }: EditOptions<Id, Entry, Draft>,
): EditForm<Draft> {
  const { common } = useText()
  const [form, setForm] = useState(() => ({ entry, state: untouched(draftOf(entry)) }))
  const sent = useRef<DraftState<Draft>>(form.state)
  const attempts = useRef(0)
  const [refusedAt, setRefusedAt] = useState<string | undefined>()
  const inputFor = (draft: Draft, over: Entry): CallInput<Id> =>
    ({
      ...at,
      body: onlyChanged(patchOf(draft, over), patchOf(draftOf(over), over)),
      ifMatch: over.revision,
    }) as unknown as CallInput<Id>
  const takeBack = useChange(operation, { done: () => common.saved, ...(touches !== undefined && { touches }) })
  const change = useChange(operation, {
    problemToast: false,
    done: () => common.saved,
    ...(canUndo && {
      undo: (answer) => {
        const { loaded } = sent.current
        return () => takeBack.mutate(inputFor(loaded, entryIn(answer)))
      },
    }),
    ...(touches !== undefined && { touches }),
    ...(onDone !== undefined && { onDone }),
  })
  const { state } = form
  // The answer to a change that is on its way brings the entry along.
  if (entry !== form.entry && !change.isPending && !isOlder(entry, form.entry)) {
    setForm({ entry, state: rebased(state, draftOf(entry)) })
  }
  const send = (): void => {
    const now = form
    sent.current = now.state
    change.mutate(inputFor(now.state.draft, now.entry), {
      onSuccess: (answer) => {
        const saved = entryIn(answer)
        setForm((shown) => ({ entry: saved, state: afterSaving(shown.state, now.state.draft, draftOf(saved)) }))
      },
      onError: (problem) => {
        if (isConflict(problem) && attempts.current < MOST_ATTEMPTS) setRefusedAt(now.entry.revision ?? '')
      },
    })
  }
  useEffect(() => {
    // The entry that was loaded after a refusal; where nothing is left to decide, the change is sent again.
    if (refusedAt === undefined || form.entry.revision === refusedAt) return
    setRefusedAt(undefined)
    attempts.current++
    if (state.undecided.size === 0) send()
  })
  return {
    draft: state.draft,
    needs: operation,
    replace: (draft) => setForm((shown) => ({ ...shown, state: typed(shown.state, draft) })),
    set: (part) => setForm((shown) => ({ ...shown, state: typed(shown.state, { ...shown.state.draft, ...part }) })),
    isChanged: state.touched.size > 0,
    conflicts: conflictsIn(state),
    decide: (field, keep) => setForm((shown) => ({ ...shown, state: decided(shown.state, field, keep) })),
    submit: () => {
      attempts.current = 0
      send()
    },
    change: {
      isPending: change.isPending || refusedAt !== undefined,
      // The note about the conflict says more than the refusal.
      error: isConflict(change.error) && (refusedAt !== undefined || state.undecided.size > 0) ? null : change.error,
    },
  }
}

/** An answer that was on its way when a later one arrived. */
function isOlder(entry: Revised, than: Revised): boolean {
  return entry.updatedAt !== undefined && than.updatedAt !== undefined && entry.updatedAt < than.updatedAt
}

function isConflict(problem: ApiProblem | null): boolean {
  return problem?.code === 'REVISION_CONFLICT'
}
