import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AdminRouteId, ChangeEvent, RouteAnswer } from '@tooldex/contract/admin'
import { useToasts } from './toasts.tsx'
import { type CallInput, call } from '../api/call.ts'
import type { ApiProblem } from '../api/problem.ts'
import { invalidateFor } from '../api/queries.ts'

/** What happens around a change. */
export interface ChangeOptions<Id extends AdminRouteId> {
  /** Shows the change at once; returns how to undo that if the gateway refuses. */
  readonly optimistic?: (input: CallInput<Id>) => () => void
  /** Said when it worked; nothing without. */
  readonly done?: (answer: RouteAnswer<Id>, input: CallInput<Id>) => string | undefined
  /** How to take it back, offered with what `done` says. */
  readonly undo?: (answer: RouteAnswer<Id>, input: CallInput<Id>) => (() => void) | undefined
  readonly onDone?: (answer: RouteAnswer<Id>) => void
  /** A form shows what is wrong by itself; others have it told. */
  readonly tellsProblems?: boolean
  readonly touches?: ChangeEvent['what']
}

/** A change through the admin API: shown at once where that is safe, rolled back with the reason if it is refused. */
export function useChange<Id extends AdminRouteId>(id: Id, options: ChangeOptions<Id> = {}) {
  const client = useQueryClient()
  const toasts = useToasts()
  return useMutation<RouteAnswer<Id>, ApiProblem, CallInput<Id>, (() => void) | undefined>({
    mutationFn: (input) => call(id, input),
    onMutate: (input) => options.optimistic?.(input),
    onError: (problem, _input, rollBack) => {
      rollBack?.()
      if (options.tellsProblems !== false) toasts.problem(problem)
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
