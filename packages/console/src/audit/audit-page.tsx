import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { AdminAuditEntry } from '@tooldex/contract/admin'
import { Activity, Download } from 'lucide-react'
import { useState } from 'react'
import { addressOf, download } from '../api/call.ts'
import type { ApiProblem } from '../api/problem.ts'
import { useApi } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { Card, Page } from '../parts/page.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { Switch } from '../parts/switch.tsx'
import { useToasts } from '../parts/toasts.tsx'
import { useText } from '../text/text.ts'
import { AUDIT_KINDS, type AuditFilter, filterOf, queryOf, useLiveEntries, readFullPage } from './audit-entries.ts'
import { AuditEntryDialog, AuditTable } from './audit-table.tsx'

const PAGE = 100
const FOLLOW_MS = 3_000

/** The audit log: searches and calls, filtered and live. */
export function AuditPage() {
  const { audit: words, common } = useText()
  const navigate = useNavigate()
  const filter = filterOf(useSearch({ strict: false }))
  const query = queryOf(filter)
  const [isLive, setIsLive] = useState(true)
  const [shown, setShown] = useState<AdminAuditEntry>()
  const live = useLiveEntries(query, isLive)
  const pages = useInfiniteQuery({
    queryKey: ['listAudit', query],
    queryFn: ({ pageParam, signal }) => readFullPage({ ...query, limit: PAGE }, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // Entries from just before the stream opened reach the log a moment later.
    refetchInterval: ({ state }) => (isLive && (state.data?.pages.length ?? 1) === 1 ? FOLLOW_MS : false),
  })
  const kept = pages.data?.pages.flatMap(({ items }) => items) ?? []
  const entries = [...live.filter((entry) => !kept.some((other) => isSame(entry, other))), ...kept]
  const isFiltered = Object.keys(filter).length > 0
  const show = (next: AuditFilter): void => void navigate({ to: '.', search: { ...next }, replace: true })
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
      <AuditFilters filter={filter} onChange={show} />
      <Card>
        <Loaded answer={{ data: pages.data, error: pages.error as ApiProblem | null, refetch: pages.refetch }}>
          {() =>
            entries.length === 0 ? (
              <EmptyState
                icon={<Activity size={24} aria-hidden />}
                title={isFiltered ? words.emptyFiltered : words.empty}
                action={isFiltered && <Button onClick={() => show({})}>{words.clear}</Button>}
              >
                {isFiltered ? words.emptyFilteredText : words.emptyText}
              </EmptyState>
            ) : (
              <>
                <AuditTable entries={entries} onShow={setShown} />
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
      </Card>
      <AuditEntryDialog entry={shown} onClose={() => setShown(undefined)} />
    </Page>
  )
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

/** Streamed entries have no id yet, so they are compared by content. */
function isSame(a: AdminAuditEntry, b: AdminAuditEntry): boolean {
  return a.requestId === b.requestId && a.at === b.at && a.kind === b.kind
}

/** The filters; every choice is kept in the address. */
function AuditFilters({
  filter,
  onChange,
}: {
  readonly filter: AuditFilter
  readonly onChange: (filter: AuditFilter) => void
}) {
  const { audit: words, common } = useText()
  const tokens = useApi('listTokens', {}).data?.items ?? []
  const projects = useApi('listProjects', {}).data?.items ?? []
  const servers = useApi('listServers', {}).data?.items ?? []
  const set = (name: keyof AuditFilter, value: string): void => {
    const { [name]: _before, ...rest } = filter
    onChange(value === '' ? rest : { ...rest, [name]: value })
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
    <search
      aria-label={words.filters}
      className="grid grid-cols-2 items-end gap-3 sm:grid-cols-3 lg:grid-cols-5 2xl:grid-cols-9"
    >
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
        label={words.from}
        type="datetime-local"
        value={filter.from ?? ''}
        onChange={(event) => set('from', event.target.value)}
      />
      <TextField
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
