import type { ReviewItem } from '@tooldex/contract/admin'

/** The definitions of one server. */
interface ReviewGroup {
  readonly server: string
  readonly name: string
  readonly items: readonly ReviewItem[]
}

/** The definitions by server, in the order of the answer. */
export function byServer(items: readonly ReviewItem[]): readonly ReviewGroup[] {
  const groups = new Map<string, ReviewItem[]>()
  for (const item of items) groups.set(item.server, [...(groups.get(item.server) ?? []), item])
  return [...groups].map(([server, own]) => ({ server, name: own[0]?.serverName ?? server, items: own }))
}

/** Whether the scanner would block it. Such a definition is approved only by itself. */
export function isAlarming({ reasons }: ReviewItem): boolean {
  return reasons.some(({ severity }) => severity === 'block')
}

/** What a decision sends: the hash makes sure that it is about the definition that was shown. */
export function decidable(items: readonly ReviewItem[]) {
  return items.map(({ server, kind, name, hash }) => ({ server, kind, name, hash }))
}
