import type { ConfiguredEntries } from './configured-entries.ts'
import { revisionOf } from './draft.ts'

interface Entry {
  readonly managedBy: 'store' | 'file' | 'built-in'
  readonly stored?: { readonly createdAt: number; readonly updatedAt: number }
}

interface EntryFacts {
  readonly managedBy: Entry['managedBy']
  readonly file?: string
  readonly revision?: string
  readonly createdAt?: number
  readonly updatedAt?: number
}

/** What every entry says of itself. */
export function entryFacts<Of extends Entry>(
  { managedBy, stored }: Of,
  entries: ConfiguredEntries,
): EntryFacts & Pick<Of, 'managedBy'> {
  const { file } = entries.fileOf({ managedBy })
  return {
    managedBy,
    ...(file !== undefined && { file }),
    ...(stored !== undefined && {
      revision: revisionOf(stored),
      createdAt: stored.createdAt,
      updatedAt: stored.updatedAt,
    }),
  }
}
