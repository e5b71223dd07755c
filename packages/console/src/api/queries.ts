import { MutationCache, QueryCache, QueryClient, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import type { AdminRouteId, ChangeEvent, RouteAnswer } from '@tooldex/contract/admin'
import { type CallInput, call } from './call.ts'
import { ApiProblem } from './problem.ts'

/** The query cache. Any 401 response makes it check the session. */
export function createQueryClient(): QueryClient {
  const onRefusal = (problem: unknown): void => {
    if (problem instanceof ApiProblem && problem.status === 401) checkSession(client)
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
    queryFn: ({ signal }) => call(id, { ...input, signal }),
    ...options,
  })
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
  ],
  settings: ['getSettings'],
}

/** Refetches everything that a change may affect. */
export function invalidateFor(client: QueryClient, what: ChangeEvent['what']): void {
  for (const id of AFFECTED[what]) void client.invalidateQueries({ queryKey: [id] })
}
