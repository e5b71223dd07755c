import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useChange } from '../api/change.ts'
import { useText } from '../text/text.ts'
import { withAllowed } from './with-allowed.ts'

const SHOWN_BY = ['listTools', 'serverTools', 'getTool'] as const

/** Allows or forbids a tool for everybody: shown at once, rolled back with the reason if refused, and offered back. */
export function useAllowTool(): (tool: string, allowed: boolean) => void {
  const { servers: words } = useText()
  const client = useQueryClient()
  const shown = {
    touches: 'tools',
    optimistic: ({ params, body }: { params: { tool: string }; body: { allowed: boolean } }) => {
      const before = SHOWN_BY.flatMap((id) => client.getQueriesData({ queryKey: [id] }))
      for (const id of SHOWN_BY) {
        void client.cancelQueries({ queryKey: [id] })
        client.setQueriesData({ queryKey: [id] }, (answer: unknown) => withAllowed(answer, params.tool, body.allowed))
      }
      return () => {
        for (const [key, answer] of before) client.setQueryData(key, answer)
      }
    },
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
