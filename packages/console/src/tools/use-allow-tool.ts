import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useChange } from '../parts/forms/use-change.ts'
import { changedIn, updateOptimistically } from '../api/optimistic-update.ts'
import { useText } from '../text/text.ts'

const SHOWN_BY = ['listTools', 'serverTools', 'getTool'] as const

/** Enables or disables a tool globally: optimistic, rolled back with the reason if refused, and undoable. */
export function useAllowTool(): (tool: string, allowed: boolean) => void {
  const { servers: words } = useText()
  const client = useQueryClient()
  const shown = {
    touches: 'tools',
    optimistic: ({ params, body }: { params: { tool: string }; body: { allowed: boolean } }) =>
      updateOptimistically(client, SHOWN_BY, (answer) =>
        changedIn(
          answer,
          (thing) => 'key' in thing && thing.key === params.tool,
          (tool) => ({ ...tool, allowed: body.allowed }),
        ),
      ),
  } as const
  const takeBack = useChange('changeTool', shown)
  const change = useChange('changeTool', {
    ...shown,
    done: (_answer, { params, body }) => (body.allowed ? words.allowed(params.tool) : words.forbidden(params.tool)),
    undo:
      (_answer, { params, body }) =>
      () =>
        takeBack.mutate({ params, body: { allowed: !body.allowed } }),
  })
  const { mutate } = change
  // A stable function, so that unchanged rows do not render again.
  return useCallback((tool, allowed) => mutate({ params: { tool }, body: { allowed } }), [mutate])
}
