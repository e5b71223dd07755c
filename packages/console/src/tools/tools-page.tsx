import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { SearchX, Wrench, X } from 'lucide-react'
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { call } from '../api/call.ts'
import type { ApiProblem } from '../api/problem.ts'
import { useApi } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { Card, Page } from '../parts/page.tsx'
import { useRefusal } from '../parts/role.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { filterOf, namesIn, type ToolFilter, type ToolFilterName, withFilter } from './tool-filter.ts'
import { ToolFilters, useFilterWords } from './tool-filters.tsx'
import { ToolList } from './tool-list.tsx'

const PAGE = 200

/** One list of all tools, searched with the gateway's search. Query and filters are kept in the address. */
export function ToolsPage() {
  const { tools: words, common } = useText()
  const search = useSearch({ strict: false })
  const filter = filterOf(search)
  const navigate = useNavigate()
  const servers = useApi('listServers', {}).data?.items ?? []
  const projects = useApi('listProjects', {}).data?.items ?? []
  const projectName = projects.find(({ id }) => id === filter.project)?.name ?? filter.project
  const fixedServers = new Set(servers.filter(({ managedBy }) => managedBy === 'file').map(({ id }) => id))
  const show = (q: string, next: ToolFilter): void =>
    void navigate({ to: '.', search: { ...(q !== '' && { q }), ...next }, replace: true })
  const [typed, type] = useTypedQuery(search['q'] ?? '', (q) => show(q, filter))
  const asked = useDeferredValue(typed.trim())
  const pages = useToolPages(asked, filter)
  const items = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data])
  const total = pages.data?.pages[0]?.total ?? 0
  const set = (next: ToolFilter): void => show(typed.trim(), next)
  const clear = (): void => {
    type('')
    show('', {})
  }
  const filters = useFilterWords(filter, { servers, projects })
  const isFiltered = asked !== '' || namesIn(filter).length > 0
  const whenEmpty = isFiltered ? (
    <NoToolFits
      asked={asked}
      filters={filters}
      onDrop={(name) => set(withFilter(filter, name, undefined))}
      onClear={clear}
    />
  ) : (
    <NoTools />
  )
  return (
    <Page title={common.pages.tools} lead={words.lead}>
      <ToolFilters typed={typed} onType={type} filter={filter} onFilter={set} servers={servers} projects={projects} />
      <Card>
        <Loaded answer={{ data: pages.data, error: pages.error as ApiProblem | null, refetch: pages.refetch }}>
          {() =>
            items.length === 0 ? (
              whenEmpty
            ) : (
              <ToolList
                items={items}
                total={total}
                isFiltered={isFiltered}
                project={filter.project}
                permission={projectName === undefined ? words.global : words.allowedIn(projectName)}
                fixedServers={fixedServers}
                onEnd={() => pages.hasNextPage && !pages.isFetching && void pages.fetchNextPage()}
              />
            )
          }
        </Loaded>
      </Card>
    </Page>
  )
}

function useToolPages(q: string, filter: ToolFilter) {
  const query = { ...(q !== '' && { q }), ...filter }
  return useInfiniteQuery({
    queryKey: ['listTools', query],
    queryFn: ({ pageParam, signal }) =>
      call('listTools', { query: { ...query, limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: (before) => before,
  })
}

function NoTools() {
  const { tools: words } = useText()
  const refusal = useRefusal('createServer')
  return (
    <EmptyState
      icon={<Wrench size={24} aria-hidden />}
      title={words.empty}
      action={
        refusal === undefined && (
          <Link to="/servers" search={{ add: '1' }} className="text-sm font-medium text-accent underline">
            {words.addServer}
          </Link>
        )
      }
    >
      {words.emptyText}
    </EmptyState>
  )
}

interface NoToolFitsProps {
  readonly asked: string
  readonly filters: readonly { readonly name: ToolFilterName; readonly text: string }[]
  readonly onDrop: (name: ToolFilterName) => void
  readonly onClear: () => void
}

/** The empty result: shows the query and the filters, and removes them one by one or all together. */
function NoToolFits({ asked, filters, onDrop, onClear }: NoToolFitsProps) {
  const { tools: words } = useText()
  return (
    <EmptyState
      icon={<SearchX size={24} aria-hidden />}
      title={asked === '' ? words.noFit : words.noFitFor(asked)}
      action={
        <Button kind="primary" size="small" onClick={onClear}>
          {filters.length === 0 ? words.clearWords : words.clearAll}
        </Button>
      }
    >
      {filters.length === 0 ? (
        words.noFitHint
      ) : (
        <>
          <p>{words.filtersOn}</p>
          <ul className="mt-3 flex flex-wrap justify-center gap-2" aria-label={words.filtersOn}>
            {filters.map(({ name, text }) => (
              <li key={name}>
                <button
                  type="button"
                  aria-label={words.drop(text)}
                  onClick={() => onDrop(name)}
                  className="inline-flex h-8 cursor-pointer items-center gap-1.5 rounded-full border border-accent/40 bg-accent-soft px-3 text-[13px] font-medium text-accent-strong hover:border-accent"
                >
                  <UntrustedText most={60}>{text}</UntrustedText>
                  <X size={14} aria-hidden />
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </EmptyState>
  )
}

const SETTLE_MS = 250

/**
 * The typed text beside the query in the address: the text follows every key, the address follows when typing pauses. A
 * new address replaces the text.
 */
function useTypedQuery(q: string, onSettle: (q: string) => void): [typed: string, type: (text: string) => void] {
  const [typed, setTyped] = useState(q)
  const written = useRef(q)
  const settle = useRef(onSettle)
  useEffect(() => {
    settle.current = onSettle
  })
  useEffect(() => {
    if (q === written.current) return
    written.current = q
    setTyped(q)
  }, [q])
  useEffect(() => {
    const text = typed.trim()
    if (text === written.current) return
    const timer = setTimeout(() => {
      written.current = text
      settle.current(text)
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return [typed, setTyped]
}
