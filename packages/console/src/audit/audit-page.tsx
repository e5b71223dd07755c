import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { AdminAuditEntry } from '@tooldex/contract/admin'
import { Activity, Download } from 'lucide-react'
import { useState } from 'react'
import { addressOf } from '../api/call.ts'
import type { ApiProblem } from '../api/problem.ts'
import { Button } from '../parts/button.tsx'
import { Card, Page } from '../parts/page.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { Switch } from '../parts/switch.tsx'
import { useText } from '../text/text.ts'
import { AuditEntryDialog } from './audit-entry-dialog.tsx'
import { type AuditFilter, filterOf, queryOf } from './audit-filter.ts'
import { AuditFilters } from './audit-filters.tsx'
import { AuditTable } from './audit-table.tsx'
import { useLiveEntries } from './use-live-entries.ts'
import { wholePage } from './whole-page.ts'

const PAGE = 100
const FOLLOW_MS = 3_000

/** Who searched and called what. */
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
    queryFn: ({ pageParam, signal }) => wholePage({ ...query, limit: PAGE }, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // What happened just before this page listened is written a moment later.
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
  return (['jsonl', 'csv'] as const).map((format) => (
    <a
      key={format}
      href={addressOf('exportAudit', { query: { ...query, format } })}
      download={`audit.${format}`}
      className="inline-flex h-9.5 items-center gap-1.5 rounded-lg border border-line bg-surface px-3.5 text-sm font-medium hover:border-line-strong hover:bg-sunken"
    >
      <Download size={15} aria-hidden />
      {words.export} {format.toUpperCase()}
    </a>
  ))
}

/** An entry is told before it is kept, so that it has no id yet. */
function isSame(a: AdminAuditEntry, b: AdminAuditEntry): boolean {
  return a.requestId === b.requestId && a.at === b.at && a.kind === b.kind
}
