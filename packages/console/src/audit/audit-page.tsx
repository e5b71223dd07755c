import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { AdminAuditEntry } from '@tooldex/contract/admin'
import { Activity, Download } from 'lucide-react'
import { useState } from 'react'
import { addressOf, download } from '../api/call.ts'
import { gatewayNow } from '../api/gateway-clock.ts'
import type { ApiProblem } from '../api/problem.ts'
import { useApi } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { Card, Page } from '../parts/page.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { Switch } from '../parts/switch.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useToasts } from '../parts/toasts.tsx'
import { useText } from '../text/text.ts'
import {
  AUDIT_KINDS,
  type AuditFilter,
  filterOf,
  queryOf,
  RANGES,
  useLiveEntries,
  readFullPage,
} from './audit-entries.ts'
import { AuditEntryDialog, AuditTable } from './audit-table.tsx'
import { SearchesCard } from './searches-card.tsx'
import { SessionTimeline } from './session-timeline.tsx'

const PAGE = 50
/** A session has several entries. */
const SESSION_PAGE = 300
const FOLLOW_MS = 3_000

const VIEWS = ['entries', 'sessions', 'searches'] as const
type View = (typeof VIEWS)[number]
const AROUND_MS = 30 * 60_000

/** The audit log: entries, sessions step by step, and searches; filtered and live. */
export function AuditPage() {
  const { audit: words, common } = useText()
  const navigate = useNavigate()
  const search = useSearch({ strict: false })
  const filter = filterOf(search)
  const view = VIEWS.find((each) => each === search['view']) ?? 'entries'
  const query = useQueryOfPage(filter, search['around'])
  const [isLive, setIsLive] = useState(true)
  const show = (next: AuditFilter, nextView: View = view): void =>
    void navigate({
      to: '.',
      search: { ...next, ...(nextView !== 'entries' && { view: nextView }) },
      replace: nextView === view,
    })
  return (
    <Page
      title={common.pages.audit}
      lead={words.lead}
      actions={
        <>
          <ExportLinks query={query} />
          <Switch label={words.live} checked={isLive} onChange={setIsLive} />
        </>
      }
    >
      <QuickRanges filter={filter} onChange={show} />
      <AuditFilters filter={filter} onChange={show} />
      <Card>
        <Tabs
          label={words.view}
          value={view}
          onChange={(next) => show(filter, next as View)}
          tabs={VIEWS.map((id) => ({
            id,
            title: words.views[id],
            content:
              id === 'searches' ? (
                <SearchesCard query={query} />
              ) : (
                <Entries
                  query={query}
                  view={id}
                  isLive={isLive}
                  isFiltered={Object.keys(filter).length > 0}
                  onClear={() => show({})}
                />
              ),
          }))}
        />
      </Card>
    </Page>
  )
}

/** The query stays the same for a minute, so that answers can be cached. */
function useQueryOfPage(filter: AuditFilter, around: string | undefined): ReturnType<typeof queryOf> {
  const minute = Math.floor(gatewayNow() / 60_000) * 60_000
  const query = queryOf(filter, minute)
  const at = Number(around)
  if (around === undefined || !Number.isSafeInteger(at)) return query
  return { ...query, from: at - AROUND_MS, until: at + AROUND_MS }
}

interface EntriesProps {
  readonly query: ReturnType<typeof queryOf>
  readonly view: 'entries' | 'sessions'
  readonly isLive: boolean
  readonly isFiltered: boolean
  readonly onClear: () => void
}

function Entries({ query, view, isLive, isFiltered, onClear }: EntriesProps) {
  const { audit: words } = useText()
  const [shown, setShown] = useState<AdminAuditEntry>()
  const live = useLiveEntries(query, isLive)
  const pages = useInfiniteQuery({
    queryKey: ['listAudit', query, view],
    queryFn: ({ pageParam, signal }) =>
      readFullPage({ ...query, limit: view === 'sessions' ? SESSION_PAGE : PAGE }, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: (before) => before,
    // Entries from just before the stream opened reach the log a moment later.
    refetchInterval: ({ state }) => (isLive && (state.data?.pages.length ?? 1) === 1 ? FOLLOW_MS : false),
  })
  const kept = pages.data?.pages.flatMap(({ items }) => items) ?? []
  const known = new Set(kept.map(keyOf))
  const entries = [...live.filter((entry) => !known.has(keyOf(entry))), ...kept]
  return (
    <>
      <Loaded answer={{ data: pages.data, error: pages.error as ApiProblem | null, refetch: pages.refetch }}>
        {() =>
          entries.length === 0 ? (
            <EmptyState
              icon={<Activity size={24} aria-hidden />}
              title={isFiltered ? words.emptyFiltered : words.empty}
              action={isFiltered && <Button onClick={onClear}>{words.clear}</Button>}
            >
              {isFiltered ? words.emptyFilteredText : words.emptyText}
            </EmptyState>
          ) : (
            <>
              {view === 'sessions' ? (
                <SessionTimeline entries={entries} onShow={setShown} />
              ) : (
                <AuditTable entries={entries} onShow={setShown} />
              )}
              {pages.hasNextPage && (
                <div className="flex justify-center border-t border-line p-3">
                  <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
                    {words.older}
                  </Button>
                </div>
              )}
            </>
          )
        }
      </Loaded>
      <AuditEntryDialog entry={shown} onClose={() => setShown(undefined)} />
    </>
  )
}

/** Streamed entries have no id yet, so they are compared by content. */
const keyOf = ({ requestId, at, kind }: AdminAuditEntry): string => `${kind} ${at} ${requestId}`

/** The time until now, with one click. */
function QuickRanges({ filter, onChange }: FilterProps) {
  const { audit: words } = useText()
  const { range, from, until, ...rest } = filter
  return (
    <div className="flex flex-wrap gap-2" role="group" aria-label={words.time}>
      {(Object.keys(RANGES) as (keyof typeof RANGES)[]).map((each) => (
        <Chip
          key={each}
          label={words.ranges[each]}
          state={range === each ? 'true' : undefined}
          onToggle={() => onChange(range === each ? rest : { ...rest, range: each })}
        />
      ))}
      <Chip
        label={words.ranges.all}
        state={range === undefined && from === undefined && until === undefined ? 'true' : undefined}
        onToggle={() => onChange(rest)}
      />
    </div>
  )
}

interface FilterProps {
  readonly filter: AuditFilter
  readonly onChange: (filter: AuditFilter) => void
}

function ExportLinks({ query }: { readonly query: ReturnType<typeof queryOf> }) {
  const { audit: words } = useText()
  const toasts = useToasts()
  return (['jsonl', 'csv'] as const).map((format) => (
    <Button
      key={format}
      icon={<Download size={15} aria-hidden />}
      onClick={() => {
        download(addressOf('exportAudit', { query: { ...query, format } }), `audit.${format}`).catch(
          (problem: ApiProblem) => toasts.problem(problem),
        )
      }}
    >
      {words.export} {format.toUpperCase()}
    </Button>
  ))
}

/** The filters; every choice is kept in the address. */
function AuditFilters({ filter, onChange }: FilterProps) {
  const { audit: words, common } = useText()
  const tokens = useApi('listTokens', {}).data?.items ?? []
  const projects = useApi('listProjects', {}).data?.items ?? []
  const servers = useApi('listServers', {}).data?.items ?? []
  const set = (name: Exclude<keyof AuditFilter, 'range'>, value: string): void => {
    const { [name]: _before, range, ...rest } = filter
    // Exact times replace a range.
    const isTime = name === 'from' || name === 'until'
    const kept: AuditFilter = range === undefined || isTime ? rest : { ...rest, range }
    onChange(value === '' ? kept : { ...kept, [name]: value })
  }
  const all = { value: '', label: common.all }
  /** An address may name an id that was removed; it stays selectable. */
  const gone = (id: string | undefined, items: readonly { id: string }[]) =>
    id === undefined || items.some((item) => item.id === id) ? [] : [{ value: id, label: id }]
  const choice = (
    name: 'token' | 'project' | 'server',
    label: string,
    items: readonly { id: string; name: string }[],
  ) => (
    <SelectField
      label={label}
      value={filter[name] ?? ''}
      choices={[all, ...items.map((item) => ({ value: item.id, label: item.name })), ...gone(filter[name], items)]}
      onChoose={(value) => set(name, value)}
    />
  )
  return (
    <search aria-label={words.filters} className="grid grid-cols-2 items-end gap-3 lg:grid-cols-3 xl:grid-cols-5">
      <SelectField
        label={words.kind}
        value={filter.kind ?? ''}
        choices={[all, ...AUDIT_KINDS.map((kind) => ({ value: kind, label: words.kinds[kind] }))]}
        onChoose={(value) => set('kind', value)}
      />
      <SelectField
        label={words.outcome}
        value={filter.outcome ?? ''}
        choices={[
          { value: '', label: words.outcomes.all },
          { value: 'ok', label: words.outcomes.ok },
          { value: 'error', label: words.outcomes.error },
        ]}
        onChoose={(value) => set('outcome', value)}
      />
      {choice('token', words.who, tokens)}
      {choice('project', words.project, projects)}
      {choice('server', words.server, servers)}
      <TextField
        label={words.tool}
        placeholder="server:tool"
        value={filter.tool ?? ''}
        onChange={(event) => set('tool', event.target.value)}
      />
      <TextField
        className="max-sm:col-span-2"
        label={words.from}
        type="datetime-local"
        value={filter.from ?? ''}
        onChange={(event) => set('from', event.target.value)}
      />
      <TextField
        className="max-sm:col-span-2"
        label={words.until}
        type="datetime-local"
        value={filter.until ?? ''}
        onChange={(event) => set('until', event.target.value)}
      />
      {Object.keys(filter).length > 0 && (
        <Button kind="quiet" onClick={() => onChange({})}>
          {words.clear}
        </Button>
      )}
    </search>
  )
}
