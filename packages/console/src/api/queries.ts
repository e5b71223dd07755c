import { MutationCache, QueryCache, QueryClient, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import type { AdminRouteId, ChangeEvent, RouteAnswer } from '@tooldex/contract/admin'
import { type CallInput, call } from './call.ts'
import { ApiProblem } from './problem.ts'

/** The cache of everything that was asked. Whoever is refused anywhere is asked who they are. */
export function createQueryClient(): QueryClient {
  const askWho = (problem: unknown): void => {
    if (problem instanceof ApiProblem && problem.status === 401) askWhoWeAre(client)
  }
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (problem, { queryKey }) => queryKey[0] !== SESSION[0] && askWho(problem) }),
    mutationCache: new MutationCache({ onError: askWho }),
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

/** Whether we are still signed in; whoever is not is shown the way in. */
export function askWhoWeAre(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: SESSION })
}

/** The answer of an operation that reads, kept and asked again when events say that it changed. */
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

/** How an answer is found in the cache. */
function keyOf<Id extends AdminRouteId>(id: Id, input?: Partial<CallInput<Id>>): readonly unknown[] {
  const { params, query, body } = (input ?? {}) as { params?: unknown; query?: unknown; body?: unknown }
  return input === undefined ? [id] : [id, { params, query, body }]
}

/** What has to be asked again after a change of something. */
const AFFECTED: Readonly<Record<ChangeEvent['what'], readonly AdminRouteId[]>> = {
  server: ['listServers', 'getServer', 'serverTools', 'getOverview', 'listTools'],
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

/** Asks again for everything that a change may have touched. */
export function invalidateFor(client: QueryClient, what: ChangeEvent['what']): void {
  for (const id of AFFECTED[what]) void client.invalidateQueries({ queryKey: [id] })
}
