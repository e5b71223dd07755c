import { Link } from '@tanstack/react-router'
import type { AdminAuditEntry } from '@tooldex/contract/admin'
import type { ReactNode } from 'react'
import { Badge, StateBadge } from '../parts/badge.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { ExactTime, RelativeTime } from '../parts/time.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { EntryName } from './entry-name.tsx'

/** The entries, newest first; a click opens the details. */
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

/** The values whose columns are hidden on small screens. */
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

/** The colour of an outcome. */
function toneOf({ outcome }: Pick<AdminAuditEntry, 'outcome'>): 'good' | 'warn' | 'bad' {
  if (outcome === 'ok') return 'good'
  return outcome === 'tool-error' ? 'warn' : 'bad'
}

/** The details of one entry. */
export function AuditEntryDialog({
  entry,
  onClose,
}: {
  readonly entry: AdminAuditEntry | undefined
  readonly onClose: () => void
}) {
  const { audit: words } = useText()
  if (entry === undefined) return null
  return (
    <Dialog open onClose={onClose} title={`${words.kinds[entry.kind]} · ${words.details}`}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-5 gap-y-2 text-sm">
        <Line title={words.time}>{<ExactTime at={entry.at} />}</Line>
        <Line title={words.outcome}>{<StateBadge tone={toneOf(entry)}>{entry.outcome}</StateBadge>}</Line>
        <NamedLine kind="token" title={words.who} id={entry.tokenId} name={entry.tokenName} />
        <NamedLine kind="project" title={words.project} id={entry.projectId} name={entry.projectName} />
        <NamedLine
          kind="endpoint"
          title={words.endpoint}
          id={entry.endpointId}
          name={entry.removed?.includes('endpoint') === true ? undefined : entry.endpointId}
        />
        <Line title={words.duration}>{`${entry.durationMs.toFixed(2)} ms`}</Line>
        <Line title={words.request}>
          {<span className="font-mono text-[13px] wrap-anywhere">{entry.requestId}</span>}
        </Line>
        {entry.kind === 'call' ? <CallLines entry={entry} /> : <SearchLines entry={entry} />}
      </dl>
    </Dialog>
  )
}

/** The name, and below it the recorded id if it differs. */
function NamedLine({
  title,
  kind,
  id,
  name,
}: {
  readonly title: string
  readonly kind: 'token' | 'project' | 'endpoint'
  readonly id: string
  readonly name: string | undefined
}) {
  const isSaidByName = kind === 'token' ? name === id : name === undefined || name === id
  return (
    <Line title={title}>
      <EntryName kind={kind} id={id} name={name} />
      {!isSaidByName && (
        <div className="font-mono text-[13px] text-faint wrap-anywhere">
          <UntrustedText most={200}>{id}</UntrustedText>
        </div>
      )}
    </Line>
  )
}

function CallLines({ entry }: { readonly entry: Extract<AdminAuditEntry, { kind: 'call' }> }) {
  const { audit: words } = useText()
  return (
    <>
      <Line title={words.tool}>{entry.toolKey === '' ? '–' : <ToolLink tool={entry.toolKey} />}</Line>
      <Line title={words.sent}>{`${entry.requestBytes.toLocaleString()} B`}</Line>
      <Line title={words.received}>{`${entry.resultBytes.toLocaleString()} B`}</Line>
    </>
  )
}

function SearchLines({ entry }: { readonly entry: Extract<AdminAuditEntry, { kind: 'search' }> }) {
  const { audit: words } = useText()
  return (
    <>
      <Line title={words.queries}>{entry.queryCount}</Line>
      <Line title={words.answeredBy}>{entry.answeredBy}</Line>
      {entry.degraded !== undefined && <Line title={words.degraded}>{entry.degraded}</Line>}
      <Line title={words.results}>
        <ol className="flex list-decimal flex-col gap-0.5 pl-5">
          {entry.resultKeys.map((key) => (
            <li key={key}>
              <ToolLink tool={key} />
            </li>
          ))}
        </ol>
      </Line>
    </>
  )
}

function ToolLink({ tool }: { readonly tool: string }) {
  return (
    <Link to="/tools/$tool" params={{ tool }} className="font-mono text-[13px] wrap-anywhere hover:underline">
      <UntrustedText>{tool}</UntrustedText>
    </Link>
  )
}

function Line({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-faint">{title}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  )
}
