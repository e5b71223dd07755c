/** Faults of connections: those that never send a whole request, and clients that do not read. */
import { connect } from 'node:net'
import { Bystander } from './bystander.ts'
import { evilServer } from './evil-server.ts'
import { type Fault, promise } from './fault.ts'
import { Flood } from './flood.ts'
import { residentMb } from './processes.ts'
import { Home, Program } from './program.ts'
import { until } from './until.ts'

const CONNECTIONS = { quick: 200, usual: 2_000, full: 5_000 } as const
/** Shorter than usual, so that the fault ends soon. */
const LIMITS = { headTimeoutMs: 2_000, requestTimeoutMs: 4_000, unreadTimeoutMs: 1_000 }
const GONE_WITHIN_MS = 30_000
/** Clients that do not read, and the memory that each may cost: its first reply, as received and as sent. */
const DEAF = 10
const MB_PER_DEAF = 30
/** The memory that an open connection may cost, beside the bytes that all of them together may have sent. */
const MB_EACH = 0.03
const MB_AT_ALL = 80

const textOf = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([status, count]) => `${count} × ${status}`).join(', ')

/** A gateway with these limits, and a bystander that uses it meanwhile. */
async function withClient(limits: object, make: (program: Program) => Promise<string>): Promise<string> {
  using home = new Home()
  home.configure({ servers: { good: evilServer(), evil: evilServer() }, listen: { limits } })
  await using program = await Program.start(home)
  await using bystander = await new Bystander(await program.clientFor('good__echo'), 'good__echo').begin()
  const seen = await make(program)
  return `${seen}; ${await bystander.end()}`
}

export const CONNECTION_FAULTS: readonly Fault[] = [
  {
    name: 'connection-flood',
    isQuick: true,
    run: (size) =>
      withClient(LIMITS, async (program) => {
        using flood = new Flood()
        const before = residentMb(program.pid)
        await flood.open(program.url, CONNECTIONS[size])
        // Only connections that are open at the same time: none is older than its limit.
        const most = residentMb(program.pid)
        await until(() => flood.closed === CONNECTIONS[size] || undefined, GONE_WITHIN_MS)
        const grown = Math.max(most, residentMb(program.pid)) - before
        const allowed = MB_AT_ALL + MB_EACH * CONNECTIONS[size]
        promise(grown <= allowed, `the gateway grew by ${grown.toFixed(0)} MB, more than ${allowed}`)
        return `${CONNECTIONS[size]} silent and half-open connections cost ${grown.toFixed(0)} MB and are gone (${textOf(flood.replies)})`
      }),
  },
  {
    name: 'connections-exhausted',
    isQuick: true,
    run: (size) =>
      withClient({ maxConnections: CONNECTIONS[size] / 4 }, async (program) => {
        using flood = new Flood()
        await flood.open(program.url, CONNECTIONS[size])
        for (let count = 0; count < 10; count++) {
          const client = await program.client()
          await client.call('good__echo', { value: count })
        }
        promise(flood.closed >= (CONNECTIONS[size] / 4) * 3, `only ${flood.closed} connections were evicted`)
        return `${CONNECTIONS[size]} connections where ${CONNECTIONS[size] / 4} fit: 10 new clients connected, ${flood.closed} unauthenticated connections were evicted`
      }),
  },
  {
    name: 'client-never-reads',
    isQuick: false,
    run: () =>
      withClient({ unreadTimeoutMs: 500 }, async (program) => {
        const before = residentMb(program.pid)
        const clients = Array.from({ length: DEAF }, () => {
          const socket = connect(Number(new URL(program.url).port), '127.0.0.1').pause()
          socket.on('error', () => undefined)
          // Two, so that a second reply is due although the first is not read.
          socket.write(hugeCall(8) + hugeCall(8))
          return socket
        })
        let most = 0
        try {
          await until(async () => {
            most = Math.max(most, residentMb(program.pid))
            const cut = await cutFor('unread', program)
            return cut === DEAF || undefined
          }, GONE_WITHIN_MS)
        } finally {
          for (const socket of clients) socket.destroy()
        }
        const grown = most - before
        promise(grown < DEAF * MB_PER_DEAF, `the gateway grew by ${grown.toFixed(0)} MB`)
        return `${DEAF} clients that asked for 8 MB twice and read nothing cost ${grown.toFixed(0)} MB and were cut off`
      }),
  },
]

/** How many connections were cut for this reason. */
async function cutFor(reason: string, { url }: Program): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^tooldex_connections_cut_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

/** A call of 2026-07-28 of a tool with a large reply. */
function hugeCall(mb: number): string {
  const key = (name: string): string => `io.modelcontextprotocol/${name}`
  const _meta = { [key('protocolVersion')]: '2026-07-28', [key('clientCapabilities')]: {} }
  const params = { name: 'evil__huge', arguments: { mb }, _meta }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const lines = [
    'POST /open/mcp HTTP/1.1',
    'host: localhost',
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    'mcp-protocol-version: 2026-07-28',
    'mcp-method: tools/call',
    'mcp-name: evil__huge',
    `content-length: ${body.length}`,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
