import { Link } from '@tanstack/react-router'
import type { AdminAuditEntry } from '@tooldex/contract/admin'
import { type ReactNode, useMemo } from 'react'
import { Badge, StateBadge } from '../parts/badge.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { ExactTime, RelativeTime } from '../parts/time.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { type Text, useText } from '../text/text.ts'
import { Client, RemedyLink, took, toneOf } from './audit-parts.tsx'
import { EntryName } from './entry-name.tsx'
import { SessionLink } from './session-timeline.tsx'

/** The entries, newest first; a click opens the details. */
export function AuditTable({
  entries,
  onShow,
}: {
  readonly entries: readonly AdminAuditEntry[]
  readonly onShow: (entry: AdminAuditEntry) => void
}) {
  const { audit: words, common } = useText()
  const columns = useMemo(() => columnsIn(words, onShow), [words, onShow])
  return (
    <Table
      caption={common.pages.audit}
      rows={entries}
      columns={columns}
      rowKey={(entry) => `${entry.kind} ${entry.requestId} ${entry.at}`}
    />
  )
}

function columnsIn(words: Text['audit'], onShow: (entry: AdminAuditEntry) => void): readonly Column<AdminAuditEntry>[] {
  return [
    {
      id: 'what',
      title: words.kind,
      className: 'xl:w-full xl:max-w-0',
      cell: (entry) => (
        <>
          <button
            type="button"
            onClick={() => onShow(entry)}
            className="flex max-w-full cursor-pointer items-center gap-2 text-left hover:underline"
          >
            <Badge tone={entry.kind === 'search' ? 'accent' : 'neutral'}>{words.kinds[entry.kind]}</Badge>
            <span className="min-w-0 font-mono text-[13px] xl:truncate">
              <What entry={entry} />
            </span>
            {entry.isDamaged === true && (
              <Badge tone="bad" title={words.damagedHint}>
                {words.damaged}
              </Badge>
            )}
          </button>
          <BelowWhat entry={entry} />
        </>
      ),
    },
    {
      id: 'outcome',
      title: words.outcome,
      from: 'xl',
      cell: (entry) => (
        <span className="flex flex-col items-start gap-1">
          <StateBadge tone={toneOf(entry)}>{entry.outcome}</StateBadge>
          <RemedyLink entry={entry} />
        </span>
      ),
    },
    {
      id: 'who',
      title: words.clientAndToken,
      from: 'xl',
      className: 'xl:min-w-44',
      cell: (entry) => (
        <span className="flex flex-col">
          <Client entry={entry} />
          <span className="text-[13px] text-faint">
            <Who entry={entry} />
          </span>
        </span>
      ),
    },
    {
      id: 'project',
      title: words.project,
      from: 'xl',
      className: 'xl:min-w-28',
      cell: ({ projectId, projectName }) =>
        projectId === '' ? '–' : <EntryName kind="project" id={projectId} name={projectName} />,
    },
    {
      id: 'duration',
      title: words.duration,
      align: 'right',
      from: 'xl',
      className: 'whitespace-nowrap',
      cell: ({ durationMs }) => took(durationMs),
    },
    { id: 'time', title: words.time, align: 'right', cell: ({ at }) => <RelativeTime at={at} /> },
  ]
}

/** The values whose columns are hidden on small screens. */
function BelowWhat({ entry }: { readonly entry: AdminAuditEntry }) {
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-[13px] text-soft xl:hidden">
      <StateBadge tone={toneOf(entry)}>{entry.outcome}</StateBadge>
      <Client entry={entry} />
      <Who entry={entry} />
      {entry.projectId !== '' && <EntryName kind="project" id={entry.projectId} name={entry.projectName} />}
      <span className="text-faint">{took(entry.durationMs)}</span>
      <RemedyLink entry={entry} />
    </div>
  )
}

/** What an entry is about, in one line. */
function What({ entry }: { readonly entry: AdminAuditEntry }) {
  const { audit: words } = useText()
  switch (entry.kind) {
    case 'call':
      return <UntrustedText>{entry.toolKey === '' ? words.noTool : entry.toolKey}</UntrustedText>
    case 'search': {
      const found = words.found(entry.resultKeys.length)
      return (
        <UntrustedText>{entry.queries === undefined ? found : `${entry.queries.join(' | ')} · ${found}`}</UntrustedText>
      )
    }
    case 'change': {
      const [first] = entry.changes
      const more = entry.changes.length > 1 ? ` +${entry.changes.length - 1}` : ''
      return (
        <UntrustedText>
          {first === undefined ? `${entry.action} ${entry.target}` : `${changeText(first, words)}${more}`}
        </UntrustedText>
      )
    }
    case 'refusal':
      return <UntrustedText>{words.refused(entry.count, entry.address)}</UntrustedText>
  }
}

type Change = Extract<AdminAuditEntry, { kind: 'change' }>['changes'][number]

function changeText({ of, id, name, how, fields }: Change, words: Text['audit']): string {
  const made = words.changed(words.hows[how], words.ofs[of], name ?? id)
  return fields.length === 0 ? made : `${made}: ${fields.join(', ')}`
}

function Who({ entry: { tokenId, tokenName } }: { readonly entry: AdminAuditEntry }) {
  return tokenId === '' ? '–' : <EntryName kind="token" id={tokenId} name={tokenName} />
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
        <Line title={words.client}>
          <Client entry={entry} />
        </Line>
        {entry.transport !== undefined && <Line title={words.transport}>{words.transports[entry.transport]}</Line>}
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
        <OwnLines entry={entry} />
        {entry.chain !== undefined && <Line title={words.place}>{entry.chain.seq}</Line>}
      </dl>
      <p className="mt-4 flex flex-wrap items-center gap-x-5 gap-y-2">
        <SessionLink entry={entry} />
        <RemedyLink entry={entry} />
      </p>
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
  if (id === '') return null
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

function OwnLines({ entry }: { readonly entry: AdminAuditEntry }) {
  switch (entry.kind) {
    case 'call':
      return <CallLines entry={entry} />
    case 'search':
      return <SearchLines entry={entry} />
    case 'change':
      return <ChangeLines entry={entry} />
    case 'refusal':
      return <RefusalLines entry={entry} />
  }
}

/** The tool of a call, or the text of one that named no tool within its reach. */
function AskedTool({ entry: { toolKey, serverId } }: { readonly entry: Extract<AdminAuditEntry, { kind: 'call' }> }) {
  const { audit: words } = useText()
  if (toolKey === '') return words.noTool
  if (serverId !== '') return <ToolLink tool={toolKey} />
  return (
    <>
      <span className="font-mono text-[13px] wrap-anywhere">
        <UntrustedText>{toolKey}</UntrustedText>
      </span>
      <div className="text-[13px] text-faint">{words.outsideReach}</div>
    </>
  )
}

function ChangeLines({ entry }: { readonly entry: Extract<AdminAuditEntry, { kind: 'change' }> }) {
  const { audit: words, common } = useText()
  return (
    <>
      <Line title={words.action}>{entry.action}</Line>
      {entry.role !== undefined && <Line title={common.role}>{common.roles[entry.role]}</Line>}
      {entry.target !== '' && (
        <Line title={words.target}>
          <UntrustedText>{entry.target}</UntrustedText>
        </Line>
      )}
      {entry.changes.length > 0 && (
        <Line title={words.changes}>
          <ul className="flex flex-col gap-0.5">
            {entry.changes.map((change) => (
              <li key={`${change.of} ${change.id}`} className="wrap-anywhere">
                <UntrustedText>{changeText(change, words)}</UntrustedText>
              </li>
            ))}
          </ul>
        </Line>
      )}
    </>
  )
}

function RefusalLines({ entry }: { readonly entry: Extract<AdminAuditEntry, { kind: 'refusal' }> }) {
  const { audit: words } = useText()
  return (
    <>
      <Line title={words.address}>
        <UntrustedText>{entry.address}</UntrustedText>
      </Line>
      <Line title={words.count}>{entry.count.toLocaleString()}</Line>
      <Line title={words.last}>{<ExactTime at={entry.lastAt} />}</Line>
    </>
  )
}

function CallLines({ entry }: { readonly entry: Extract<AdminAuditEntry, { kind: 'call' }> }) {
  const { audit: words } = useText()
  return (
    <>
      <Line title={words.tool}>
        <AskedTool entry={entry} />
      </Line>
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
      <Line title={words.queryTexts}>
        {entry.queries === undefined
          ? words.textsRemoved
          : entry.queries.map((query) => (
              <div key={query} className="wrap-anywhere">
                <UntrustedText most={500}>{query}</UntrustedText>
              </div>
            ))}
      </Line>
      <Line title={words.answeredBy}>{entry.answeredBy}</Line>
      {entry.degraded !== undefined && <Line title={words.degraded}>{entry.degraded}</Line>}
      {entry.notices !== undefined && <Line title={words.notices}>{entry.notices.join(', ')}</Line>}
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
