import type { AdminAuditEntry } from '@tooldex/contract/admin'
import { Badge, StateBadge } from '../parts/badge.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { RelativeTime } from '../parts/time.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { toneOf } from './audit-filter.ts'
import { EntryName } from './entry-name.tsx'

/** Entries, newest first; each opens its details. */
export function AuditTable({
  entries,
  onShow,
}: {
  readonly entries: readonly AdminAuditEntry[]
  readonly onShow: (entry: AdminAuditEntry) => void
}) {
  const { audit: words, common } = useText()
  const columns: readonly Column<AdminAuditEntry>[] = [
    {
      id: 'what',
      title: words.kind,
      cell: (entry) => (
        <button
          type="button"
          onClick={() => onShow(entry)}
          className="flex max-w-xl cursor-pointer items-center gap-2 text-left hover:underline"
        >
          <Badge tone={entry.kind === 'search' ? 'accent' : 'neutral'}>{words.kinds[entry.kind]}</Badge>
          <span className="min-w-0 truncate font-mono text-[13px]">
            {entry.kind === 'call' ? (
              <UntrustedText>{entry.toolKey === '' ? '–' : entry.toolKey}</UntrustedText>
            ) : (
              words.found(entry.resultKeys.length)
            )}
          </span>
        </button>
      ),
    },
    {
      id: 'outcome',
      title: words.outcome,
      cell: (entry) => <StateBadge tone={toneOf(entry)}>{entry.outcome}</StateBadge>,
    },
    {
      id: 'who',
      title: words.who,
      from: 'sm',
      cell: ({ tokenId, tokenName }) => <EntryName kind="token" id={tokenId} name={tokenName} />,
    },
    {
      id: 'project',
      title: words.project,
      from: 'lg',
      cell: ({ projectId, projectName }) => <EntryName kind="project" id={projectId} name={projectName} />,
    },
    {
      id: 'duration',
      title: words.duration,
      align: 'right',
      from: 'sm',
      cell: ({ durationMs }) => `${durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)} ms`,
    },
    { id: 'time', title: words.time, align: 'right', cell: ({ at }) => <RelativeTime at={at} /> },
  ]
  return (
    <Table
      caption={common.pages.audit}
      rows={entries}
      columns={columns}
      rowKey={(entry) => `${entry.kind} ${entry.requestId} ${entry.at}`}
    />
  )
}
