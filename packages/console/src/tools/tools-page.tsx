import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Wrench } from 'lucide-react'
import { useDeferredValue, useMemo } from 'react'
import { call } from '../api/call.ts'
import type { ApiProblem } from '../api/problem.ts'
import { useApi } from '../api/queries.ts'
import { Card, Page } from '../parts/page.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { useText } from '../text/text.ts'
import { NoToolFits } from './no-tool-fits.tsx'
import { filterOf, namesIn, type ToolFilter, withFilter } from './tool-filter.ts'
import { ToolFilters, useFilterWords } from './tool-filters.tsx'
import { ToolList } from './tool-list.tsx'
import { useTypedQuery } from './use-typed-query.ts'

const PAGE = 200

/** One list of thousands of tools, searched with the product's own search. What is looked for is in the address. */
export function ToolsPage() {
  const { tools: words, common } = useText()
  const search = useSearch({ strict: false })
  const filter = filterOf(search)
  const navigate = useNavigate()
  const servers = useApi('listServers', {}).data?.items ?? []
  const projects = useApi('listProjects', {}).data?.items ?? []
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
  return (
    <EmptyState
      icon={<Wrench size={24} aria-hidden />}
      title={words.empty}
      action={
        <Link to="/servers" search={{ add: '1' }} className="text-sm font-medium text-accent underline">
          {words.addServer}
        </Link>
      }
    >
      {words.emptyText}
    </EmptyState>
  )
}
