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
        <>
          <button
            type="button"
            onClick={() => onShow(entry)}
            className="flex max-w-xl cursor-pointer items-center gap-2 text-left hover:underline"
          >
            <Badge tone={entry.kind === 'search' ? 'accent' : 'neutral'}>{words.kinds[entry.kind]}</Badge>
            <span className="min-w-0 font-mono text-[13px] sm:truncate">
              {entry.kind === 'call' ? (
                <UntrustedText>{entry.toolKey === '' ? '–' : entry.toolKey}</UntrustedText>
              ) : (
                words.found(entry.resultKeys.length)
              )}
            </span>
          </button>
          <OnPhone entry={entry} />
        </>
      ),
    },
    {
      id: 'outcome',
      title: words.outcome,
      from: 'sm',
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
      cell: ({ durationMs }) => took(durationMs),
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

/** What has no column of its own where there is little room. */
function OnPhone({ entry }: { readonly entry: AdminAuditEntry }) {
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-[13px] text-soft sm:hidden">
      <StateBadge tone={toneOf(entry)}>{entry.outcome}</StateBadge>
      <EntryName kind="token" id={entry.tokenId} name={entry.tokenName} />
      <span className="text-faint">{took(entry.durationMs)}</span>
    </div>
  )
}

function took(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}
