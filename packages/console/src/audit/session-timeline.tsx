import { Link } from '@tanstack/react-router'
import type { AdminAuditEntry } from '@tooldex/contract/admin'
import { CornerDownRight, Search, Wrench } from 'lucide-react'
import { Badge, StateBadge } from '../parts/badge.tsx'
import { ExactTime, RelativeTime } from '../parts/time.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { Client, RemedyLink, took, toneOf } from './audit-parts.tsx'
import { EntryName } from './entry-name.tsx'
import { sessionSearch } from './remedy.ts'
import { type Session, sessionsOf, type Step } from './sessions.ts'

/** What each client did, step by step: searches, the calls that followed, and how they ended. */
export function SessionTimeline({
  entries,
  onShow,
}: {
  readonly entries: readonly AdminAuditEntry[]
  readonly onShow: (entry: AdminAuditEntry) => void
}) {
  const { audit: words } = useText()
  const sessions = sessionsOf(entries)
  if (sessions.length === 0) return <p className="p-5 text-sm text-soft">{words.noSessions}</p>
  return (
    <ul className="divide-y divide-line">
      {sessions.map((session) => (
        <li key={session.key} className="px-5 py-4">
          <SessionHead session={session} />
          <ol className="mt-3 flex flex-col gap-2 border-l-2 border-line pl-4">
            {session.steps.map((step) => (
              <TimelineStep
                key={`${step.at} ${step.search?.requestId ?? step.calls[0]?.entry.requestId}`}
                step={step}
                onShow={onShow}
              />
            ))}
          </ol>
        </li>
      ))}
    </ul>
  )
}

function SessionHead({ session: { first, from, until, searches, calls, errors } }: { readonly session: Session }) {
  const { audit: words } = useText()
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <h2 className="font-medium">
        <Client entry={first} />
      </h2>
      {first.tokenId !== '' && <EntryName kind="token" id={first.tokenId} name={first.tokenName} />}
      {first.projectId !== '' && (
        <span className="text-soft">
          <EntryName kind="project" id={first.projectId} name={first.projectName} />
        </span>
      )}
      <span className="text-soft">{words.sessionSums(searches, calls)}</span>
      {errors > 0 && <Badge tone="bad">{words.sessionErrors(errors)}</Badge>}
      <span className="ml-auto text-[13px] text-faint">
        <ExactTime at={from} /> · {words.lasted(Math.round((until - from) / 1_000))} · <RelativeTime at={until} />
      </span>
    </div>
  )
}

function TimelineStep({ step, onShow }: { readonly step: Step; readonly onShow: (entry: AdminAuditEntry) => void }) {
  const { audit: words } = useText()
  const { search, calls } = step
  return (
    <li className="flex flex-col gap-1.5 text-sm">
      {search !== undefined && (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Search size={15} className="shrink-0 text-accent" aria-hidden />
          <button
            type="button"
            onClick={() => onShow(search)}
            className="min-w-0 cursor-pointer text-left hover:underline"
          >
            <UntrustedText most={200}>{search.queries?.join(' | ') ?? words.textsRemoved}</UntrustedText>
          </button>
          <span className="text-[13px] text-faint">{words.found(search.resultKeys.length)}</span>
          {search.outcome !== 'ok' && <StateBadge tone={toneOf(search)}>{search.outcome}</StateBadge>}
          {calls.length === 0 && <Badge tone="warn">{words.noCall}</Badge>}
          {calls.length === 0 && <RemedyLink entry={search} ledToNoCall />}
        </div>
      )}
      {calls.map(({ entry, rank }) => (
        <div
          key={`${entry.requestId} ${entry.at}`}
          className={`flex flex-wrap items-center gap-x-2 gap-y-1 ${search === undefined ? '' : 'pl-5'}`}
        >
          {search === undefined ? (
            <Wrench size={15} className="shrink-0 text-faint" aria-hidden />
          ) : (
            <CornerDownRight size={15} className="shrink-0 text-faint" aria-hidden />
          )}
          <button
            type="button"
            onClick={() => onShow(entry)}
            className="min-w-0 cursor-pointer text-left font-mono text-[13px] wrap-anywhere hover:underline"
          >
            <UntrustedText most={200}>{entry.toolKey === '' ? words.noTool : entry.toolKey}</UntrustedText>
          </button>
          {rank !== undefined && <span className="text-[13px] text-faint">{words.rank(rank)}</span>}
          <StateBadge tone={toneOf(entry)}>{entry.outcome}</StateBadge>
          <span className="text-[13px] text-faint">{took(entry.durationMs)}</span>
          <RemedyLink entry={entry} />
        </div>
      ))}
    </li>
  )
}

/** A link to the sessions around an entry. */
export function SessionLink({ entry }: { readonly entry: AdminAuditEntry }) {
  const { audit: words } = useText()
  if (entry.kind !== 'search' && entry.kind !== 'call') return null
  return (
    <Link to="/audit" search={sessionSearch(entry)} className="text-sm font-medium text-accent-strong underline">
      {words.showSession}
    </Link>
  )
}
