/** Servers and clients that try to keep the event loop busy: schema bombs and floods. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Json, MinimalClient } from '../../bench/minimal-client.ts'
import { BOMBS } from './bombs.ts'
import { type EvilSpec, evilServer } from './evil-server.ts'
import { type Fault, PATIENCE, promise, within } from './fault.ts'
import { Home, Program } from './program.ts'
import { SteadyCaller } from './steady-caller.ts'

const LONGEST_TURN_MS = 50
const LONGEST_STOP_MS = 3_000
const MOST_SLOWER = 1.5
/** Below this the clock of a shared machine decides. */
const NOISE_MS = 2
const QUIET_MS = 1_500
const FLOOD_MS = 2_000
const REPEATED = 3
/** A bomb delays the two or three calls that meet it: among some 1,000 calls, three bombs leave the 99th percentile alone. */
const BOMBS_MS = 4_500

const textOf = ({ content }: Json): string => (content as readonly { readonly text: string }[])[0]?.text ?? ''

const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0

/**
 * Runs an attack beside calls to a good server, and checks the loop, those calls, and the end of the program. A second
 * gateway, which is not attacked, shows how long such calls take on this machine at the same time.
 */
async function withStall(spec: EvilSpec, attack: (client: MinimalClient, program: Program) => Promise<string>) {
  using home = new Home()
  using otherHome = new Home()
  home.configure({ servers: { good: evilServer(), evil: evilServer(spec) } })
  otherHome.configure({ servers: { good: evilServer() } })
  await using other = await Program.start(otherHome)
  await using program = await Program.start(home, { probe: true })
  await Promise.all([other, program].map((each) => each.clientFor('good__echo')))
  const client = await program.clientFor('evil__bomb')
  // The first request loads the admin API.
  await remarksOn(program)
  await using elsewhere = await SteadyCaller.start(`${other.url}/open/mcp`, 'good__echo')
  await using others = await SteadyCaller.start(`${program.url}/open/mcp`, 'good__echo')
  await delay(QUIET_MS)
  const quiet = p99(await others.taken())
  await Promise.all([elsewhere.taken(), program.loop()])
  const seen = await attack(client, program)
  const busy = p99(await others.taken())
  const unharmed = p99(await elsewhere.taken())
  await Promise.all([others, elsewhere].map((caller) => caller[Symbol.asyncDispose]()))
  const { wall, processor } = await program.loop()
  // On a machine with other load a turn takes longer than the gateway works.
  const turn = Math.min(wall.p999, processor.p999)
  promise(turn < LONGEST_TURN_MS * PATIENCE, `a turn of the event loop took ${turn.toFixed(0)} ms (p99.9)`)
  const usual = Math.max(quiet, unharmed)
  const limit = Math.max(usual * MOST_SLOWER, usual + NOISE_MS)
  const calls = `p99 of others ${busy.toFixed(1)} ms, quiet ${quiet.toFixed(1)}, at a gateway without it ${unharmed.toFixed(1)}`
  promise(busy <= limit * PATIENCE, calls)
  const stop = within(await program.stop(), LONGEST_STOP_MS, 'stop')
  const loop = `loop p99.9 ${wall.p999.toFixed(0)} ms (processor ${processor.p999.toFixed(0)})`
  return `${seen}; ${loop}; ${calls}; ${stop}`
}

/** What `tooldex server show` and the console say about the server. */
async function remarksOn({ url, ownerToken }: Program): Promise<readonly string[]> {
  const answer = await fetch(`${url}/api/v1/servers/evil`, { headers: { authorization: `Bearer ${ownerToken}` } })
  return ((await answer.json()) as { readonly remarks: readonly string[] }).remarks
}

/** A part of the answer, by outcome. */
const EXPECTED = { mistake: 'INVALID_ARGUMENTS', called: 'called', refused: 'nested more than' } as const

const bombs = [...BOMBS].map(
  ([name, { args, outcome, remark }]): Fault => ({
    name: `bomb-${name}`,
    isQuick: false,
    run: () =>
      withStall({ bomb: name }, async (client, program) => {
        const expected = EXPECTED[outcome]
        for (let call = 0; call < REPEATED; call++) {
          const answer = await client.call('evil__bomb', args()).then(textOf, String)
          promise(answer.includes(expected), `the answer was ${answer.slice(0, 100)}`)
          await delay(BOMBS_MS / REPEATED)
        }
        const remarks = await remarksOn(program)
        const isSaid = remark === undefined || remarks.some((each) => each.endsWith(remark))
        promise(isSaid, `the remarks are ${remarks.join(' ')}`)
        return `${REPEATED} calls: ${outcome}`
      }),
  }),
)

/** Calls a tool, and answers the requests that the server sends meanwhile. Resolves to their number. */
async function answering(client: MinimalClient, name: string, args: Json): Promise<number> {
  let asked = 0
  let rest = ''
  const onData = (part: Buffer): void => {
    const lines = (rest + part.toString()).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = line.startsWith('data: {') ? (JSON.parse(line.slice(6)) as Json) : {}
      if (message['method'] === undefined || message['id'] === undefined) continue
      asked++
      void client.post({ jsonrpc: '2.0', id: message['id'], result: ANSWER })
    }
  }
  await client.call(name, args, { onData })
  return asked
}

const ANSWER = { role: 'assistant', content: { type: 'text', text: 'so' }, model: 'm', action: 'decline', roots: [] }
const CAPABILITIES = { sampling: {}, elicitation: {}, roots: {} }
const SAMPLING = { messages: [{ role: 'user', content: { type: 'text', text: 'Say so.' } }], maxTokens: 10 }
const FORM = { message: 'Which?', requestedSchema: { type: 'object', properties: {} } }

/** Floods of messages: what the server pours out during a call. */
const POURED: readonly (readonly [name: string, message: Json, remark: string | undefined])[] = [
  ['sampling', { method: 'sampling/createMessage', params: SAMPLING }, 'requests a second'],
  ['elicitation', { method: 'elicitation/create', params: FORM }, 'requests a second'],
  ['roots', { method: 'roots/list', params: {} }, 'requests a second'],
  [
    'progress',
    { method: 'notifications/progress', params: { progressToken: 'x', progress: 1 } },
    'notifications a second',
  ],
  ['log', { method: 'notifications/message', params: { level: 'info', data: 'again' } }, 'notifications a second'],
  ['list-changed', { method: 'notifications/tools/list_changed' }, undefined],
]

const floods = POURED.map(
  ([name, message, remark]): Fault => ({
    name: `flood-${name}`,
    isQuick: name === 'sampling',
    run: () =>
      withStall({}, async (_, program) => {
        const client = await program.client(undefined, CAPABILITIES)
        const asked = await answering(client, 'evil__pour', { message, ms: FLOOD_MS })
        const remarks = await remarksOn(program)
        promise(
          remark === undefined || remarks.some((each) => each.includes(remark)),
          `the remarks: ${remarks.join(' ')}`,
        )
        return `${asked} requests reached the client; ${remarks.join(' ')}`
      }),
  }),
)

/** Floods in declarations: the server lists again and again. */
const declared = (['descriptions', 'instructions', 'tools'] as const).map(
  (declares): Fault => ({
    name: `flood-${declares}`,
    isQuick: false,
    run: () =>
      withStall({ declares }, async (client, program) => {
        for (let turn = 0; turn < 3; turn++) {
          await client.call('evil__flood', { count: 1 })
          await delay(FLOOD_MS / 2)
        }
        const remarks = await remarksOn(program)
        promise(remarks.length > 0, 'there is no remark')
        return remarks[0] ?? ''
      }),
  }),
)

const replies: Fault = {
  name: 'flood-replies',
  isQuick: false,
  run: () =>
    withStall({}, async (client) => {
      for (let reply = 0; reply < REPEATED; reply++) {
        await client.call('evil__huge', { mb: 12 }, { onData: () => {} })
        await delay(FLOOD_MS / REPEATED)
      }
      return `${REPEATED} replies of 12 MB`
    }),
}

export const STALL_FAULTS: readonly Fault[] = [...bombs, ...floods, ...declared, replies]
