import type { Undone } from '../../setup/change-files.ts'
import type { JournalEntry, SetupJournal } from '../../setup/machine/journal.ts'
import { titleOf } from '../../setup/machine/plan-client.ts'
import { type Admin, answer } from '../admin/admin.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { table } from '../terminal/terminal.ts'
import type { SetupOptions } from './setup.ts'

const OUTCOMES: Readonly<Record<Undone['outcome'], string>> = {
  restored: 'restored byte for byte',
  removed: 'removed: it did not exist before',
  edited: 'entry taken out',
  failed: 'not changed',
}

/** `tooldex setup --undo`: restores the files of the clients, newest change first, and revokes their tokens. */
export async function undoSetup(admin: Admin, journal: SetupJournal, options: SetupOptions): Promise<number> {
  const wanted = options.client
  const entries = journal
    .entries()
    .filter(({ change }) => wanted === undefined || wanted.includes(change.client))
    .toReversed()
  const undone: Undone[] = []
  for (const entry of entries) {
    const result = journal.undo(entry)
    undone.push(result)
    if (result.outcome !== 'failed') await revoke(admin, entry)
  }
  const rows = undone.map(({ client, path, outcome, reason }) => [
    titleOf(client),
    path,
    OUTCOMES[outcome],
    reason ?? '',
  ])
  const lines =
    rows.length === 0
      ? ['  nothing to undo: tooldex setup has changed no file']
      : [
          ...table(['client', 'file', '', ''], rows, admin.context.terminal),
          '  The imported servers stay in the gateway: tooldex server list, tooldex server remove <id>',
        ]
  answer(admin, { undone }, lines)
  return undone.some(({ outcome }) => outcome === 'failed') ? EXIT.failed : EXIT.ok
}

async function revoke(admin: Admin, { tokenId }: JournalEntry): Promise<void> {
  if (tokenId === undefined) return
  const { items } = await admin.client.ask('listTokens')
  if (items.some(({ id }) => id === tokenId)) await admin.client.ask('revokeToken', { params: { token: tokenId } })
}
