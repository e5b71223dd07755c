import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AdminRouteId, ChangeEvent, RouteAnswer } from '@tooldex/contract/admin'
import { useProof } from './fresh-proof.tsx'
import { useToasts } from '../toasts.tsx'
import { type CallInput, call } from '../../api/call.ts'
import type { ApiProblem } from '../../api/problem.ts'
import { invalidateFor } from '../../api/queries.ts'

/** Options of a change. */
export interface ChangeOptions<Id extends AdminRouteId> {
  /** Shows the change immediately; returns a rollback for a refusal. */
  readonly optimistic?: (input: CallInput<Id>) => () => void
  /** The text of the toast after success; no toast without it. */
  readonly done?: (answer: RouteAnswer<Id>, input: CallInput<Id>) => string | undefined
  /** The undo action of that toast. */
  readonly undo?: (answer: RouteAnswer<Id>, input: CallInput<Id>) => (() => void) | undefined
  readonly onDone?: (answer: RouteAnswer<Id>) => void
  /** False if the caller shows problems itself, as a form does; otherwise they become toasts. */
  readonly problemToast?: boolean
  readonly touches?: ChangeEvent['what']
}

/** A change through the admin API: optimistic if possible, and rolled back with the reason if it is refused. */
export function useChange<Id extends AdminRouteId>(id: Id, options: ChangeOptions<Id> = {}) {
  const client = useQueryClient()
  const toasts = useToasts()
  const withProof = useProof()
  return useMutation<RouteAnswer<Id>, ApiProblem, CallInput<Id>, (() => void) | undefined>({
    mutationFn: (input) => withProof(() => call(id, input)),
    onMutate: (input) => options.optimistic?.(input),
    onError: (problem, _input, rollBack) => {
      rollBack?.()
      if (options.problemToast !== false) toasts.problem(problem)
    },
    onSuccess: (answer, input) => {
      const text = options.done?.(answer, input)
      const undo = options.undo?.(answer, input)
      if (text !== undefined) toasts.done(text, undo)
      options.onDone?.(answer)
    },
    onSettled: () => invalidateFor(client, options.touches ?? 'configuration'),
  })
}
