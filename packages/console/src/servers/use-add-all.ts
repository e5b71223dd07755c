import { useQueryClient } from '@tanstack/react-query'
import type { ServerPreview } from '@tooldex/contract/admin'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { ApiProblem } from '../api/problem.ts'
import { invalidateFor } from '../api/queries.ts'
import { useToasts } from '../parts/toasts.tsx'
import { useText } from '../text/text.ts'

type Previewed = ServerPreview['items'][number]

/** A server that was refused, and why. */
export interface Refusal {
  readonly id: string
  readonly problem: ApiProblem
}

/** One after the other: what was added stays added when a later one is refused, and is not sent again. */
export function useAddAll(onDone: () => void) {
  const { servers: words } = useText()
  const client = useQueryClient()
  const toasts = useToasts()
  const [isBusy, setIsBusy] = useState(false)
  const [added, setAdded] = useState<ReadonlySet<string>>(new Set())
  const [refusal, setRefusal] = useState<Refusal>()
  const add = async (items: readonly Previewed[]): Promise<void> => {
    setIsBusy(true)
    setRefusal(undefined)
    const refused = await firstRefused(items, (id) => setAdded((before) => new Set([...before, id])))
    setIsBusy(false)
    setRefusal(refused)
    invalidateFor(client, 'configuration')
    if (refused !== undefined) return
    toasts.done(words.added(items.length))
    onDone()
  }
  return { add, isBusy, added, refusal }
}

async function firstRefused(items: readonly Previewed[], onAdded: (id: string) => void): Promise<Refusal | undefined> {
  for (const { id, config } of items) {
    if (config === undefined) continue
    try {
      await call('createServer', { body: { ...config, id } })
      onAdded(id)
    } catch (problem) {
      return { id, problem: problem as ApiProblem }
    }
  }
  return undefined
}
