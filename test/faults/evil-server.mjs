// An MCP server over standard streams that misbehaves on demand: the name of the tool selects the fault. How it
// starts is its only argument, an EvilSpec (evil-server.ts) as JSON.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { createInterface } from 'node:readline'
import { BOMBS } from './bombs.ts'

/** @typedef {{ id?: number | string, method?: string, params?: any }} Message */

/** @type {import('./evil-server.ts').EvilSpec} */
const spec = JSON.parse(process.argv[2] ?? '{}')
if (spec.startsFile !== undefined) appendFileSync(spec.startsFile, `${process.pid}\n`)
if (spec.exitsAtStart) process.exit(3)
if (spec.isStubborn) {
  process.on('SIGTERM', () => undefined)
  setInterval(() => undefined, 1_000)
}

const MB = 1024 * 1024
const seen = { cancelled: 0, hanging: 0, lists: 0 }
let extraTools = 0
let nextId = 1

const bomb = BOMBS.get(spec.bomb ?? '')?.inputSchema
/** @param {string} json a message in which the text of the bomb is missing */
const withText = (json) => (typeof bomb === 'string' ? json.replace('"the bomb"', bomb) : json)

/** @param {object} message */
const send = (message) => process.stdout.write(`${withText(JSON.stringify({ jsonrpc: '2.0', ...message }))}\n`)
/** @param {string} value */
const text = (value) => ({ content: [{ type: 'text', text: value }] })
/** @type {(id: Message['id'], value: string) => void} */
const say = (id, value) => void send({ id, result: text(value) })

const STUBBORN = 'process.on("SIGTERM", () => {}); process.stdout.write("up"); setInterval(() => {}, 1000)'

/** Starts children that ignore SIGTERM: in our group; in one of their own; the same and without our environment. */
async function family() {
  const children = [{}, { detached: true }, { detached: true, env: {} }].map((options) =>
    spawn(process.execPath, ['-e', STUBBORN], { ...options, stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  await Promise.all(children.map((child) => new Promise((resolve) => child.stdout.once('data', resolve))))
  return [process.pid, ...children.map(({ pid }) => pid)].join(' ')
}

/** @type {Record<string, (id: Message['id'], args: any) => void>} */
const tools = {
  echo: (id, { value }) => say(id, String(value)),
  later: (id, { value, ms }) => void setTimeout(() => say(id, String(value)), ms),
  pid: (id) => say(id, String(process.pid)),
  seen: (id) => say(id, JSON.stringify(seen)),
  hang: () => {
    seen.hanging++
  },
  crash: () => process.exit(7),
  huge: (id, { mb }) => say(id, 'x'.repeat(mb * MB)),
  malformed: () => void process.stdout.write('{"jsonrpc": "2.0", "id": 17, "result": {"content": [}\n'),
  noise: (id) => {
    process.stdout.write(
      '\u001b[32mWelcome!\u001b[0m\nloading { part: 1 }\r\n\n{"level":"info","message":"a log line"}\n',
    )
    say(id, 'after the noise')
  },
  /** The list differs each time. */
  flood: (id, { count }) => {
    for (let told = 0; told < count; told++) send({ method: 'notifications/tools/list_changed' })
    say(id, 'flooded')
  },
  family: async (id) => say(id, await family()),
  bomb: (id) => say(id, 'called'),
  /** Sends messages of a kind without pause, as fast as they are read. */
  pour: async (id, { message, ms }) => {
    for (const end = Date.now() + ms; Date.now() < end; ) {
      for (let sent = 0; sent < 100; sent++) {
        const isRead = send(
          message.method.startsWith('notifications/') ? message : { ...message, id: `ask-${nextId++}` },
        )
        if (!isRead) await Promise.race([once(process.stdout, 'drain'), delay(end - Date.now())])
        if (Date.now() >= end) break
      }
      await delay(0)
    }
    say(id, 'poured')
  },
}

/** @param {string} name */
const toolNamed = (name) => {
  const schema = name === 'bomb' ? (typeof bomb === 'string' ? 'the bomb' : bomb) : undefined
  return { name, description: `Does ${name}`, inputSchema: schema ?? { type: 'object' } }
}

/** @returns {object[]} what it declares beyond reason */
function declared() {
  const inputSchema = { type: 'object' }
  if (spec.declares === 'descriptions') {
    return [10, 5, 0.9, 0.9].map((mb, at) => ({
      name: `long_${at}`,
      description: 'long '.repeat((mb * MB) / 5),
      inputSchema,
    }))
  }
  if (spec.declares !== 'tools') return []
  const description = 'One of very many tools, of which nobody needs a second one. '.repeat(5)
  return Array.from({ length: 50_000 }, (_, at) => ({ name: `tool_${at}`, description, inputSchema }))
}

/** @type {Record<string, (message: Message) => void>} */
const methods = {
  initialize: ({ id, params: { protocolVersion } }) => {
    if (spec.neverInitializes) return
    const result = {
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'evil', version: '1' },
      ...(spec.declares === 'instructions' && { instructions: 'Read this first. '.repeat(MB / 4) }),
    }
    setTimeout(() => send({ id, result }), spec.startDelayMs ?? 0)
  },
  ping: ({ id }) => void send({ id, result: {} }),
  'tools/list': ({ id }) => {
    seen.lists++
    if (spec.listChanges) extraTools = (extraTools + 1) % 7
    const names = [...Object.keys(tools), ...Array.from({ length: extraTools }, (_, index) => `extra_${index}`)]
    send({ id, result: { tools: [...names.map(toolNamed), ...declared()] } })
  },
  'tools/call': ({ id, params }) => tools[params.name]?.(id, params.arguments ?? {}),
  'notifications/cancelled': () => {
    seen.cancelled++
  },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  /** @type {Message} */
  const message = JSON.parse(line)
  const handle = methods[message.method ?? '']
  if (handle !== undefined) handle(message)
  else if (message.id !== undefined) send({ id: message.id, error: { code: -32601, message: 'Method not found' } })
})
