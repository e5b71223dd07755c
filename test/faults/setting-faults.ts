/** Faults of settings, lists and clients while the gateway runs. */
import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { MinimalClient } from '../../bench/minimal-client.ts'
import { evilServer } from './evil-server.ts'
import { type Fault, promise, timed, within } from './fault.ts'
import { Home, Program, toolNames } from './program.ts'
import { until } from './until.ts'

const CLIENTS = 200
const CALLS = { quick: 2_000, usual: 10_000, full: 100_000 } as const
const FLOOD = 5_000
/** Longer than the gateway waits after a change of the file before it reads it. */
const SETTLED_MS = 400

export const SETTING_FAULTS: readonly Fault[] = [
  {
    name: 'list-changed-flood',
    isQuick: false,
    run: async () => {
      using home = new Home()
      home.configure({ servers: { evil: evilServer({ listChanges: true }) } })
      await using program = await Program.start(home)
      const client = await program.clientFor('evil__flood')
      let told = 0
      const end = await client.listen(({ method }) => {
        if (method === 'notifications/tools/list_changed') told++
      })
      const since = performance.now()
      await client.call('evil__flood', { count: FLOOD })
      await delay(2_500)
      const seconds = (performance.now() - since) / 1_000
      end()
      promise(told >= 1, 'the client was not notified of the change')
      promise(told <= Math.ceil(seconds), `the client was notified ${told} times in ${seconds.toFixed(1)} s`)
      const { content } = await client.call('evil__seen')
      const { lists } = JSON.parse(content[0].text)
      return `${FLOOD} notifications: the client was notified ${told} times in ${seconds.toFixed(1)} s, the server asked ${lists} times`
    },
  },
  {
    name: 'corrupt-config',
    isQuick: false,
    run: async () => {
      using home = new Home()
      home.configure({ servers: { good: evilServer() } })
      await using program = await Program.start(home)
      const client = await program.clientFor('good__echo')
      const before = await toolNames(client)
      for (const text of ['{ "mcpServers": { "good": {', '', '{ "mcpServers": { "good": { "comand": "x" } } }']) {
        home.write(text)
        await delay(SETTLED_MS)
        promise((await toolNames(client)).join() === before.join(), 'the list changed with a file that is not valid')
      }
      home.configure({ servers: { good: evilServer(), other: evilServer() } })
      await program.clientFor('other__echo')
      return 'three invalid files changed nothing; the next valid one counts'
    },
  },
  {
    name: 'token-revoked',
    isQuick: true,
    run: async () => {
      using home = new Home()
      const servers = { good: evilServer() }
      const [leaver, stayer] = [secret(), secret()]
      home.configure({ servers, tokens: { leaver, stayer } })
      await using program = await Program.start(home)
      const client = await program.client(leaver)
      const { promise: streamEnded, resolve } = Promise.withResolvers<void>()
      await client.listen(() => {}, resolve)
      const revoked = await timed(async () => {
        home.configure({ servers, tokens: { stayer } })
        await until(async () => (await statusOf(client)) === 401 || undefined, 3_000)
      })
      const closed = await timed(() => streamEnded)
      await toolNames(await program.client(stayer))
      const stream = within(revoked.ms + closed.ms, 2_000, 'its open stream ended')
      return `${within(revoked.ms, 1_000, 'refused')} after the file was written, ${stream}; another token still works`
    },
  },
  {
    name: 'colliding-ids',
    isQuick: true,
    run: async (size) => {
      using home = new Home()
      const limits = { maxConcurrentCalls: 1_000 }
      home.configure({ servers: { one: evilServer({}, { limits }), two: evilServer({}, { limits }) } })
      await using program = await Program.start(home)
      await program.clientFor('one__later')
      await program.clientFor('two__later')
      const calls = CALLS[size] / CLIENTS
      const { value: wrong, ms } = await timed(() => wrongReplies(program.url, calls))
      promise(wrong === 0, `${wrong} of ${CALLS[size]} replies belonged to another call or were missing`)
      const rate = (CALLS[size] / ms) * 1_000
      return `${CLIENTS} clients with the same ids made ${CALLS[size]} calls (${rate.toFixed(0)}/s): 0 wrong replies`
    },
  },
]

/** Every client counts its ids from 0 and asks for a word of its own, answered after a random delay. */
async function wrongReplies(url: string, calls: number): Promise<number> {
  const one = async (client: number): Promise<number> => {
    const connection = await new MinimalClient(`${url}/open/mcp`, { sockets: 2 }).connect()
    let wrong = 0
    for (let id = 0; id < calls; id++) {
      const value = `${client}-${id}-${randomInt(1e9)}`
      const server = id % 2 === 0 ? 'one' : 'two'
      const said = await connection
        .call(`${server}__later`, { value, ms: randomInt(20) }, { id })
        .then(({ content }) => content[0].text)
        .catch((error: Error) => `failed: ${error.message}`)
      if (said !== value) wrong++
    }
    connection.close()
    return wrong
  }
  const each = await Promise.all(Array.from({ length: CLIENTS }, (_, client) => one(client)))
  return each.reduce((sum, wrong) => sum + wrong, 0)
}

async function statusOf(client: MinimalClient): Promise<number> {
  const { status } = await client.post({ jsonrpc: '2.0', id: 1, method: 'ping' })
  return status
}

const secret = (): string => `tdx_${randomBytes(32).toString('base64url')}`
