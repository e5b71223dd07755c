import type {
  AdminRouteId,
  Problem,
  RouteAnswer,
  RouteBodyInput,
  RouteParams,
  RouteQueryInput,
} from '@tooldex/contract/admin'
import { compareClocks } from './gateway-clock.ts'
import { OPERATIONS } from './operations.ts'
import { keepPageSecret, pageSecret } from './page-secret.ts'
import { ApiProblem, unreachable } from './problem.ts'

const BASE = '/api/v1'
/** What a request to the gateway can hold, in characters. */
export const MOST_SENT = 4_000_000
/** Shows the page secret: the cookie alone also reaches pages on other ports of the same host. */
const PAGE_HEADER = 'x-tooldex-console'

type Given<Part extends string, Value> = [Value] extends [never]
  ? { readonly [Key in Part]?: never }
  : Required1<Part, Value>
type Required1<Part extends string, Value> = object extends Value
  ? { readonly [Key in Part]?: Value }
  : { readonly [Key in Part]: Value }

/** The input of an operation. */
export type CallInput<Id extends AdminRouteId> = Addressed<Id> &
  Given<'body', RouteBodyInput<Id>> & {
    /** The revision that the change is based on. */
    readonly ifMatch?: string | undefined
    readonly signal?: AbortSignal
  }

/** The part of the input that goes into the URL. */
type Addressed<Id extends AdminRouteId> = Given<'params', RouteParams<Id>> & Given<'query', RouteQueryInput<Id>>

/** Calls an operation of the admin API. @throws ApiProblem */
export async function call<Id extends AdminRouteId>(id: Id, input: CallInput<Id>): Promise<RouteAnswer<Id>> {
  const { method } = OPERATIONS[id]
  const { body, ifMatch, signal } = input as { body?: unknown; ifMatch?: string; signal?: AbortSignal }
  const response = await request(addressOf(id, input), {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  })
  return (response.status === 204 ? undefined : await response.json()) as RouteAnswer<Id>
}

/** Signs in with an admin token or a one-time code. @throws ApiProblem */
export async function signIn(body: RouteBodyInput<'signIn'>): Promise<RouteAnswer<'getSession'>> {
  const { pageSecret: secret, ...session } = await call('signIn', { body })
  keepPageSecret(secret)
  return session
}

/** Ends the session, here and in all tabs. */
export async function signOut(): Promise<void> {
  try {
    await call('signOut', {})
  } finally {
    keepPageSecret(undefined)
  }
}

/** Saves the answer of an operation as a file. @throws ApiProblem */
export async function download(address: string, name: string): Promise<void> {
  const response = await request(address, {})
  const url = URL.createObjectURL(await response.blob())
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  URL.revokeObjectURL(url)
}

/** Sends a request in the session. @throws ApiProblem */
export async function request(
  address: string,
  { headers, ...init }: Omit<RequestInit, 'headers'> & { readonly headers?: Record<string, string> },
): Promise<Response> {
  const secret = pageSecret()
  const own = secret === undefined ? {} : { [PAGE_HEADER]: secret }
  const response = await fetch(address, {
    ...init,
    credentials: 'same-origin',
    headers: { ...headers, ...own },
  }).catch((error: unknown) => {
    if (init.signal?.aborted === true) throw error
    throw unreachable()
  })
  compareClocks(response.headers.get('date'))
  if (!response.ok) throw await problemOf(response)
  return response
}

/** The URL of an operation; also for links and event streams. */
export function addressOf<Id extends AdminRouteId>(id: Id, input: Addressed<Id>): string {
  const { params, query } = input as { params?: Record<string, string>; query?: Record<string, unknown> }
  const path = OPERATIONS[id].path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(params?.[name] ?? ''),
  )
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString()
  return `${BASE}${path}${search === '' ? '' : `?${search}`}`
}

async function problemOf(response: Response): Promise<ApiProblem> {
  const problem = await response.json().catch(() => ({}))
  return new ApiProblem(response.status, problem as Partial<Problem>)
}
