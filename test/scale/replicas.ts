import { setTimeout as delay } from 'node:timers/promises'
import { askedClient } from '../kit/asked-clients.ts'
import { askingServer } from '../kit/asking-server.ts'
import { type ClientKind, connect, type TestClient, textOf } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { startPostgres } from '../kit/postgres.ts'
import { ReplicaSet, TOKEN } from '../kit/replicas.ts'
import { atMost, type Row, type Scenario } from './row.ts'

const CONFIG = {
  mcpServers: {
    s: fixtureServer({ tools: [textTool('echo', 'Says it again', ['text'])] }),
    asking: askingServer('legacy'),
  },
  endpoints: { all: { exposure: 'full' } },
}
const KINDS: readonly ClientKind[] = ['v1', 'legacy', 'sse', 'modern']
const CALLS = 50
const CLIENTS = 200
/** Between two calls of a client. */
const PAUSE_MS = 2_000
const PATIENCE_MS = 30_000
/** How long a client of HTTP+SSE may take to open another stream. */
const STREAM_MS = 5_000

interface Outcome {
  readonly kind: ClientKind
  readonly beganAt: number
  readonly error?: string
}

/** Three replicas behind a balancer that sends each request to the next one. */
export const roundRobinRows: Scenario = {
  rows: [...KINDS.map(rowOf), ...KINDS.map(askedRowOf)],
  async *run() {
    await using fleet = await fleetOfThree()
    for (const kind of KINDS) {
      const client = await connect(kind, fleet.set.url, TOKEN, 'all')
      yield [rowOf(kind), await failedOf(CALLS, (n) => client.call('s__echo', { text: String(n) }), '"text":"')]
      await client.close()
    }
    for (const kind of KINDS) {
      const client = await askedClient(kind, { url: fleet.set.url, endpoint: 'all', token: TOKEN, name: 'Ada' })
      yield [askedRowOf(kind), await failedOf(CALLS, () => client.call('asking__ask'), '"Ada"')]
      await client.close()
    }
  },
}

/** One of three replicas is killed, and all are restarted one after the other, while clients call. */
export const endingReplicas: Scenario = {
  rows: ['calls failed after a kill', 'calls failed in a rolling restart', 'HTTP+SSE calls lost in a rolling restart'],
  async *run() {
    await using fleet = await fleetOfThree()
    const { set } = fleet
    const clients: TestClient[] = []
    for (let n = 0; n < CLIENTS; n++)
      clients.push(await connect(KINDS[n % KINDS.length] ?? 'v1', set.url, TOKEN, 'all'))
    const killing = callAll(clients, PAUSE_MS)
    await delay(3_000)
    await set.kill(1)
    // A request that was sent before the process was gone was in flight.
    const killedAt = performance.now()
    await delay(10_000)
    const killed = await killing.end()
    const isAfter = ({ kind, beganAt }: Outcome) => beganAt > killedAt + (kind === 'sse' ? STREAM_MS : 0)
    const inFlight = killed.filter((each) => each.error !== undefined && !isAfter(each)).length
    const after = killed.filter(isAfter)
    yield ['calls failed after a kill', failures(after, `of ${CLIENTS} clients; ${inFlight} calls in flight failed`)]
    await set.restart(1)
    const rolling = callAll(clients, PAUSE_MS)
    for (const number of [0, 1, 2]) {
      await set.stop(number)
      await set.restart(number)
    }
    const rolled = Map.groupBy(await rolling.end(), ({ kind }) => kind === 'sse')
    yield ['calls failed in a rolling restart', failures(rolled.get(false) ?? [], `of ${CLIENTS} clients`)]
    // A message is refused while its client opens another stream (decision 27). Most clients do so when they are between calls.
    const lost = failures(rolled.get(true) ?? [], `of ${CLIENTS / KINDS.length} clients`)
    yield ['HTTP+SSE calls lost in a rolling restart', lost]
  },
}

function rowOf(kind: ClientKind): string {
  return `round robin: ${kind}`
}

function askedRowOf(kind: ClientKind): string {
  return `round robin, asked back: ${kind}`
}

async function fleetOfThree(): Promise<{ readonly set: ReplicaSet } & AsyncDisposable> {
  const postgres = await startPostgres()
  const set = await ReplicaSet.start({ databaseUrl: postgres.url, count: 3, config: CONFIG })
  return {
    set,
    [Symbol.asyncDispose]: async () => {
      await set[Symbol.asyncDispose]()
      await postgres.stop()
    },
  }
}

/** Calls one after the other, and counts those without the expected answer. */
async function failedOf(count: number, call: (n: number) => Promise<object>, expected: string): Promise<Row> {
  let failed = 0
  for (let n = 0; n < count; n++) {
    const text = await call(n).then(textOf, () => '')
    if (!text.includes(expected)) failed += 1
  }
  return atMost(failed, 0, `of ${count} calls failed, over three replicas`)
}

/** Lets all clients call again and again, with a pause after each answer. */
function callAll(clients: readonly TestClient[], pauseMs: number): { end(): Promise<readonly Outcome[]> } {
  const outcomes: Outcome[] = []
  let isOver = false
  const working = clients.map(async (client) => {
    while (!isOver) {
      const beganAt = performance.now()
      const error = await client
        .call('s__echo', { text: 'x' }, { signal: AbortSignal.timeout(PATIENCE_MS) })
        .then(() => undefined, String)
      outcomes.push({ kind: client.kind, beganAt, ...(error !== undefined && { error }) })
      await delay(pauseMs * (0.5 + Math.random()))
    }
  })
  return {
    end: async () => {
      isOver = true
      await Promise.all(working)
      return outcomes
    },
  }
}

function failures(outcomes: readonly Outcome[], detail: string): Row {
  const failed = outcomes.filter(({ error }) => error !== undefined)
  const examples = [...new Set(failed.map(({ kind, error }) => `${kind}: ${error?.slice(0, 160)}`))].slice(0, 3)
  return atMost(failed.length, 0, `of ${outcomes.length} calls ${detail} ${examples.join(' | ')}`.trim())
}
