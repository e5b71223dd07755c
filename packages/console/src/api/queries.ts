import {
  MutationCache,
  QueryCache,
  QueryClient,
  usePrefetchQuery,
  type UseQueryOptions,
  useQuery,
} from '@tanstack/react-query'
import type { AdminRouteId, ChangeEvent, RouteAnswer } from '@tooldex/contract/admin'
import { type CallInput, call } from './call.ts'
import { pageSecret } from './page-secret.ts'
import { ApiProblem, notSignedIn } from './problem.ts'

/** The query cache. A 401 response makes it check the session, and so does a role that no longer suffices. */
export function createQueryClient(): QueryClient {
  const onRefusal = (problem: unknown): void => {
    if (!(problem instanceof ApiProblem)) return
    if (problem.status === 401 || problem.code === 'ROLE_REQUIRED') checkSession(client)
  }
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (problem, { queryKey }) => queryKey[0] !== SESSION[0] && onRefusal(problem),
    }),
    mutationCache: new MutationCache({ onError: onRefusal }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) => error instanceof ApiProblem && error.code === 'UNREACHABLE' && failures < 3,
      },
    },
  })
  return client
}

const SESSION: readonly [AdminRouteId] = ['getSession']

/** Asks for the session. The answer is in the cache when the first page needs it. */
export function askForSession(client: QueryClient): void {
  const input = {}
  void client.prefetchQuery({
    queryKey: keyOf('getSession', input),
    queryFn: () => call('getSession', input),
    retry: false,
  })
}

/** Checks the session; if it has ended, the sign-in form appears. */
export function checkSession(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: SESSION })
}

/** Reads through an operation: cached, and refetched when an event reports a change. */
export function useApi<Id extends AdminRouteId>(
  id: Id,
  input: CallInput<Id>,
  options: Omit<UseQueryOptions<RouteAnswer<Id>, ApiProblem>, 'queryKey' | 'queryFn'> = {},
) {
  return useQuery<RouteAnswer<Id>, ApiProblem>({
    queryKey: keyOf(id, input),
    queryFn: ({ signal }) => callPages(id, { ...input, signal }),
    ...options,
  })
}

/** Asks for what a part of the page will read, so that its request does not wait for the one before. */
export function useEarly<Id extends AdminRouteId>(id: Id, input: CallInput<Id>): void {
  usePrefetchQuery({ queryKey: keyOf(id, input), queryFn: ({ signal }) => callPages(id, { ...input, signal }) })
}

const PAGED_LISTS: ReadonlySet<AdminRouteId> = new Set([
  'listServers',
  'listProjects',
  'listEndpoints',
  'listTokens',
] satisfies AdminRouteId[])

/** All pages of a list that comes in pages, as one answer; every other answer as it is. Without a session there is none. */
async function callPages<Id extends AdminRouteId>(
  id: Id,
  input: CallInput<Id> & { readonly signal: AbortSignal },
): Promise<RouteAnswer<Id>> {
  // The gateway would record a refused token for every look at the sign-in form.
  if (id === SESSION[0] && pageSecret() === undefined) throw notSignedIn()
  if (!PAGED_LISTS.has(id)) return call(id, input)
  const items: unknown[] = []
  for (let cursor: string | undefined; ; ) {
    const query = { limit: 1_000, ...(cursor !== undefined && { cursor }) }
    const page = (await call(id, { ...input, query } as typeof input)) as {
      readonly items: readonly unknown[]
      readonly nextCursor?: string
    }
    items.push(...page.items)
    if (page.nextCursor === undefined) return { items } as RouteAnswer<Id>
    cursor = page.nextCursor
  }
}

/** The cache key of an answer. */
function keyOf<Id extends AdminRouteId>(id: Id, input?: Partial<CallInput<Id>>): readonly unknown[] {
  const { params, query, body } = (input ?? {}) as { params?: unknown; query?: unknown; body?: unknown }
  return input === undefined ? [id] : [id, { params, query, body }]
}

/** The operations to refetch after each kind of change. */
const AFFECTED: Readonly<Record<ChangeEvent['what'], readonly AdminRouteId[]>> = {
  server: ['listServers', 'getServer', 'serverTools', 'getOverview', 'listTools'],
  review: ['listReview', 'getOverview'],
  tools: [
    'listTools',
    'getTool',
    'serverTools',
    'listServers',
    'getServer',
    'listProjects',
    'getProject',
    'previewProject',
    'getOverview',
  ],
  configuration: [
    'listServers',
    'getServer',
    'listTools',
    'getTool',
    'listProjects',
    'getProject',
    'previewProject',
    'listLearned',
    'listEndpoints',
    'getEndpoint',
    'endpointSnippets',
    'listTokens',
    'getToken',
    'explainToken',
    'listAudit',
    'getOverview',
    'getSavings',
    'getSettings',
    'getMachine',
    'findServers',
  ],
  settings: ['getSettings'],
}

/** Refetches everything that a change may affect. */
export function invalidateFor(client: QueryClient, what: ChangeEvent['what']): void {
  for (const id of AFFECTED[what]) void client.invalidateQueries({ queryKey: [id] })
}
