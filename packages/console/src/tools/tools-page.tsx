import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Wrench } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { call } from '../api/call.ts'
import type { ApiProblem } from '../api/problem.ts'
import { useApi } from '../api/queries.ts'
import { SelectField, TextField } from '../parts/field.tsx'
import { Card, Page } from '../parts/page.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { useText } from '../text/text.ts'
import { ToolList } from './tool-list.tsx'

const PAGE = 200

/** One list of thousands of tools, searched with the product's own search. What is looked for is in the address. */
export function ToolsPage() {
  const { tools: words, common } = useText()
  const { q = '', server = '', project = '', allowed = '' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const servers = useApi('listServers', {}).data?.items ?? []
  const projects = useApi('listProjects', {}).data?.items ?? []
  const fixedServers = new Set(servers.filter(({ managedBy }) => managedBy === 'file').map(({ id }) => id))
  const [typed, setTyped] = useState(q)
  const asked = useDeferredValue(typed.trim())
  const query = { q: asked, server, project, ...(isFlag(allowed) && { allowed }) }
  const pages = useInfiniteQuery({
    queryKey: ['listTools', query],
    queryFn: ({ pageParam, signal }) =>
      call('listTools', {
        query: { ...withoutEmpty(query), limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: (before) => before,
  })
  const set = (part: Record<string, string>): void =>
    void navigate({ to: '.', search: withoutEmpty({ q: typed, server, project, allowed, ...part }), replace: true })
  const items = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data])
  const total = pages.data?.pages[0]?.total ?? 0
  const isFiltered = asked !== '' || server !== '' || project !== '' || allowed !== ''
  return (
    <Page title={common.pages.tools} lead={words.lead}>
      <search className="grid grid-cols-2 items-end gap-3 lg:grid-cols-[2fr_1fr_1fr_1fr]" aria-label={words.find}>
        <TextField
          className="col-span-2 lg:col-span-1"
          label={words.find}
          type="search"
          placeholder={words.findHint}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={() => set({})}
        />
        <SelectField
          label={words.server}
          value={server}
          choices={[{ value: '', label: common.all }, ...servers.map(({ id, name }) => ({ value: id, label: name }))]}
          onChoose={(id) => set({ server: id })}
        />
        <SelectField
          label={words.project}
          value={project}
          choices={[{ value: '', label: common.all }, ...projects.map(({ id, name }) => ({ value: id, label: name }))]}
          onChoose={(id) => set({ project: id })}
        />
        <SelectField
          label={words.permission}
          value={allowed}
          choices={[
            { value: '', label: words.permissions.all },
            { value: 'true', label: words.permissions.allowed },
            { value: 'false', label: words.permissions.forbidden },
          ]}
          onChoose={(value) => set({ allowed: value })}
        />
      </search>
      <Card>
        <Loaded answer={{ data: pages.data, error: pages.error as ApiProblem | null, refetch: pages.refetch }}>
          {() =>
            items.length === 0 ? (
              <EmptyState
                icon={<Wrench size={24} aria-hidden />}
                title={isFiltered ? words.noMatch : words.empty}
                action={
                  !isFiltered && (
                    <Link to="/servers" search={{ add: '1' }} className="text-sm font-medium text-accent underline">
                      {words.addServer}
                    </Link>
                  )
                }
              >
                {isFiltered ? undefined : words.emptyText}
              </EmptyState>
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

function isFlag(text: string): text is 'true' | 'false' {
  return text === 'true' || text === 'false'
}

function withoutEmpty<Query extends Record<string, string>>(query: Query): Partial<Query> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')) as Partial<Query>
}
