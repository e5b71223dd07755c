import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useChange } from '../parts/use-change.ts'
import { changedIn, showAtOnce } from '../api/show-at-once.ts'
import { useText } from '../text/text.ts'

const SHOWN_BY = ['listTools', 'serverTools', 'getTool'] as const

/** Allows or forbids a tool for everybody: shown at once, rolled back with the reason if refused, and offered back. */
export function useAllowTool(): (tool: string, allowed: boolean) => void {
  const { servers: words } = useText()
  const client = useQueryClient()
  const shown = {
    touches: 'tools',
    optimistic: ({ params, body }: { params: { tool: string }; body: { allowed: boolean } }) =>
      showAtOnce(client, SHOWN_BY, (answer) =>
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
  // The same at every rendering, so that rows which did not change need not be rendered again.
  return useCallback((tool, allowed) => mutate({ params: { tool }, body: { allowed } }), [mutate])
}
