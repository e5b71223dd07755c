import type { ServerState, ServerStatus } from '../model/server.ts'

/** An HTTP response. */
export interface PlainAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/** The state that readiness depends on. */
export interface ReadyFacts {
  /** Requests are answered: the model is loaded and the catalog has its last known lists. */
  readonly started: boolean
  readonly stopping: boolean
  readonly servers: readonly ServerStatus[]
  /** The gateway serves the state that it last knew, because it has not reached its database yet. */
  readonly isBehind?: boolean
}

/** `GET /healthz`: the process answers. */
export function healthz(): PlainAnswer {
  return json(200, { status: 'ok' })
}

/**
 * `GET /readyz`: whether to send requests here. A failed server does not make the gateway unready. It shows numbers and no
 * names, because it needs no token.
 */
export function readyz({ started, stopping, servers, isBehind = false }: ReadyFacts): PlainAnswer {
  const status = stopping ? 'stopping' : started ? 'ready' : 'starting'
  const states = new Map<ServerState, number>()
  for (const { state } of servers) states.set(state, (states.get(state) ?? 0) + 1)
  return json(status === 'ready' ? 200 : 503, {
    status,
    servers: Object.fromEntries([...states].toSorted()),
    ...(isBehind && { state: 'last-known' }),
  })
}

function json(status: number, body: object): PlainAnswer {
  return { status, contentType: 'application/json', body: JSON.stringify(body) }
}
