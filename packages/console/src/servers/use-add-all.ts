import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiProblem } from '../api/problem.ts'
import { invalidateFor } from '../api/queries.ts'
import { useProof } from '../parts/forms/fresh-proof.tsx'
import { useToasts } from '../parts/toasts.tsx'
import { useText } from '../text/text.ts'

/** A server that could be added. `key` stays the same when a person changes its id. */
interface Addable {
  readonly key: string
}

/** A refused server with the reason. */
interface Refusal {
  readonly key: string
  readonly problem: ApiProblem
}

/** Adds servers one after the other. If one is refused, the earlier ones stay and are not sent again. */
export function useAddAll<Item extends Addable>(create: (item: Item) => Promise<unknown>, onDone: () => void) {
  const { servers: words } = useText()
  const client = useQueryClient()
  const toasts = useToasts()
  const withProof = useProof()
  const [isBusy, setIsBusy] = useState(false)
  const [added, setAdded] = useState<ReadonlySet<string>>(new Set())
  const [refusal, setRefusal] = useState<Refusal>()
  const add = async (items: readonly Item[], isComplete: boolean): Promise<void> => {
    setIsBusy(true)
    setRefusal(undefined)
    const refused = await firstRefused(
      items,
      (item) => withProof(() => create(item)),
      (key) => setAdded((before) => new Set([...before, key])),
    )
    setIsBusy(false)
    setRefusal(refused)
    invalidateFor(client, 'configuration')
    if (refused !== undefined) return
    toasts.done(words.added(items.length))
    // Entries that could not be added stay on the screen.
    if (isComplete) onDone()
  }
  const refusalOf = (key: string): ApiProblem | undefined => (refusal?.key === key ? refusal.problem : undefined)
  return { add, isBusy, added, refusalOf }
}

async function firstRefused<Item extends Addable>(
  items: readonly Item[],
  create: (item: Item) => Promise<unknown>,
  onAdded: (key: string) => void,
): Promise<Refusal | undefined> {
  for (const item of items) {
    try {
      await create(item)
      onAdded(item.key)
    } catch (problem) {
      return { key: item.key, problem: problem as ApiProblem }
    }
  }
  return undefined
}
