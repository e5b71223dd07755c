// An MCP server over standard streams in one file without an SDK, so that it can misbehave on purpose. Its argument is a
// FixtureSpec (fixture-server.ts) as JSON. Three methods are for tests alone: `fixture/seen`, `fixture/become`, `fixture/update`.
import { createInterface } from 'node:readline'

/** @typedef {{ id?: number | string, method?: string, params?: any }} Message */

/** @type {import('./fixture-server.ts').FixtureSpec} */
const spec = JSON.parse(process.argv[2] ?? '{"tools":[]}')
const answers = new Map(spec.answers ?? [])
/** @type {Message[]} */
const seen = []
let count = 0

/** @param {object} message */
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

/** @type {(id: Message['id'], result: unknown) => void} */
const reply = (id, result) => void send({ id, result })

/** @type {(id: Message['id'], code: number, message: string, data?: unknown) => void} */
const refuse = (id, code, message, data) => void send({ id, error: { code, message, data } })

/** @param {unknown} value */
const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })

/** @param {string} value */
const plain = (value) => ({ content: [{ type: 'text', text: value }] })

/** @type {(n: number) => { n: number, name: string, tags: string[] }[]} */
const records = (n) => Array.from({ length: n }, (_, each) => ({ n: each, name: `name, ${each}`, tags: ['a', 'b'] }))

/** Results of any size. @type {Record<string, (n: number, bytes: number) => object>} */
const products = {
  log: (n) => plain(Array.from({ length: n }, (_, each) => logLine(each + 1)).join('\n')),
  records: (n) => ({ ...plain(JSON.stringify(records(n))), structuredContent: { items: records(n) } }),
  structure: (n) => ({ content: [], structuredContent: { items: records(n) } }),
  images: (n, bytes) => ({
    content: Array.from({ length: n }, (_, each) => [
      { type: 'text', text: `caption ${each + 1}` },
      { type: 'image', mimeType: 'image/png', data: 'A'.repeat(bytes) },
    ]).flat(),
  }),
  binary: (n) => plain('\u0000\u0001\ufffdPNG'.repeat(n)),
  broken: (n) => plain('é\ud83d 😀 words of a text '.repeat(n)),
}

/** @param {number} n */
const logLine = (n) =>
  `2026-11-18T02:00:00Z INFO request ${n} of /api/items answered in 12 ms with status 200, no retries`

/** @type {Record<string, (message: Message) => void>} */
const behaviours = {
  echo: ({ id, params }) => reply(id, text({ tool: params.name, arguments: params.arguments ?? {} })),
  later: ({ id, params }) => void setTimeout(() => reply(id, text(params.arguments)), params.arguments?.ms ?? 0),
  count: ({ id, params }) => {
    count += 1
    const counted = text({ pid: process.pid, count })
    setTimeout(() => reply(id, counted), Number(params.arguments?.ms ?? 0))
  },
  hang: () => {},
  crash: () => process.exit(7),
  refuse: ({ id }) => refuse(id, -32042, 'no such cheese', { cheese: 'brie' }),
  fail: ({ id }) => reply(id, { isError: true, ...text('it broke') }),
  large: ({ id, params }) => {
    const blocks = Array.from({ length: params.arguments?.blocks ?? 1 }, (_, n) => ({
      type: 'text',
      text: `${n}: é"\n😀 `.repeat(1_000),
    }))
    reply(id, {
      content: blocks,
      structuredContent: { rows: blocks.length, blocks },
      _meta: { kept: true },
      extra: [1],
    })
  },
  produce: ({ id, params }) => {
    const { kind, n, bytes = 0, failed = false } = params.arguments
    reply(id, { ...products[kind]?.(n, bytes), ...(failed && { isError: true }), _meta: { kept: true } })
  },
  log: ({ id }) => {
    send({ method: 'notifications/message', params: { level: 'info', data: 'working' } })
    reply(id, text('logged'))
  },
  progress: ({ id, params }) => {
    const progressToken = params._meta?.progressToken
    const message = params.arguments?.nonce
    for (const progress of progressToken === undefined ? [] : [1, 2, 3]) {
      send({ method: 'notifications/progress', params: { progressToken, progress, total: 3, message } })
    }
    // A client may drop a notification that arrives together with the result.
    setTimeout(() => reply(id, text(message ?? 'done')), 50)
  },
}

/** @param {Message} message */
function call(message) {
  const answer = answers.get(message.params?.name) ?? 'echo'
  if (typeof answer === 'string') behaviours[answer]?.(message)
  else reply(message.id, answer.result)
}

/** @param {Message} message */
function listTools({ id, params }) {
  if (spec.trouble === 'never-list') return
  if (spec.trouble === 'refuse-list') return refuse(id, -32050, 'the list is lost')
  const size = spec.pageSize ?? spec.tools.length
  const from = Number(params?.cursor ?? 0)
  const next = spec.trouble === 'endless-pages' ? 0 : from + size
  const isLast = spec.trouble !== 'endless-pages' && next >= spec.tools.length
  reply(id, { tools: spec.tools.slice(from, from + size), ...(isLast ? {} : { nextCursor: String(next) }) })
}

/** @type {Record<string, (message: Message) => void>} */
const methods = {
  initialize: ({ id, params }) => {
    if (spec.trouble === 'never-initialize') return
    const { prompts, resources, instructions } = spec
    const capabilities = {
      tools: { listChanged: true },
      ...(prompts && { prompts: { listChanged: true } }),
      ...(resources && { resources: { subscribe: true, listChanged: true } }),
    }
    const serverInfo = { name: 'fixture', version: '1' }
    reply(id, { protocolVersion: params.protocolVersion, capabilities, serverInfo, instructions })
  },
  ping: ({ id }) => reply(id, {}),
  'tools/list': listTools,
  'tools/call': call,
  'prompts/list': ({ id }) => reply(id, { prompts: spec.prompts ?? [] }),
  'prompts/get': ({ id, params }) =>
    reply(id, { messages: [{ role: 'user', content: { type: 'text', text: `${spec.label}: ${params.name}` } }] }),
  'resources/list': ({ id }) => reply(id, { resources: spec.resources ?? [] }),
  'resources/templates/list': ({ id }) => reply(id, { resourceTemplates: spec.resourceTemplates ?? [] }),
  'resources/read': ({ id, params }) =>
    reply(id, { contents: [{ uri: params.uri, text: `${spec.label}: ${params.uri}` }] }),
  'resources/subscribe': ({ id }) => reply(id, {}),
  'resources/unsubscribe': ({ id }) => reply(id, {}),
  'fixture/seen': ({ id }) => reply(id, { seen }),
  'fixture/update': ({ id, params }) => {
    send({ method: 'notifications/resources/updated', params })
    reply(id, {})
  },
  'fixture/become': ({ id, params }) => {
    Object.assign(spec, params)
    for (const list of ['prompts', 'resources']) {
      if (params[list] !== undefined) send({ method: `notifications/${list}/list_changed` })
    }
    send({ method: 'notifications/tools/list_changed' })
    reply(id, {})
  },
}

if (spec.trouble === 'crash-at-start') {
  process.stderr.write('no configuration found\n')
  process.exit(3)
}
// A change that no client asked for: SIGUSR2 swaps the tools for `otherTools`, and back.
process.on('SIGUSR2', () => {
  const { tools, otherTools = tools } = spec
  Object.assign(spec, { tools: otherTools, otherTools: tools })
  send({ method: 'notifications/tools/list_changed' })
})
// Until then nothing is read, as in a program that loads.
await new Promise((resolve) => setTimeout(resolve, spec.startDelayMs ?? 0))
createInterface({ input: process.stdin }).on('line', (line) => {
  /** @type {Message} */
  const message = JSON.parse(line)
  seen.push(message)
  const handle = methods[message.method ?? '']
  if (handle !== undefined) handle(message)
  else if (message.id !== undefined) refuse(message.id, -32601, 'Method not found')
})
