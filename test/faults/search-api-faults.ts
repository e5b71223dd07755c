/** Faults of a Search API: no search may fail or wait because of them. */
import type { ServerResponse } from 'node:http'
import {
  type Behaviour,
  findsAll,
  type ScriptedService,
  send,
  sendResults,
  startScriptedService,
} from '../../packages/gateway/src/search/cloud/scripted-service.case.ts'
import type { MinimalClient } from '../../bench/minimal-client.ts'
import { evilServer } from './evil-server.ts'
import { type Fault, promise, timed, within } from './fault.ts'
import { Home, Program } from './program.ts'
import { until } from './until.ts'

const TIME_LIMIT_MS = 1_000
const FIRST_MS = TIME_LIMIT_MS + 100
const OPEN_MS = 30
const BACK_MS = 10_000
const GIGABYTE = 1024 ** 3

const TROUBLES: readonly (readonly [name: string, isQuick: boolean, behaviour: Behaviour | 'down'])[] = [
  ['down', true, 'down'],
  ['hangs', true, () => {}],
  ['500', false, (_, res) => send(res, 500, '{}')],
  ['1-gigabyte', false, (_, res) => sendMuch(res.writeHead(200), 0)],
  ['invalid-json', false, (_, res) => send(res, 200, '{"results":[')],
  ['foreign-keys', false, (_, res) => sendResults(res, [{ toolKey: 'other:tool', relevance: 1 }])],
  ['html', false, (_, res) => send(res, 200, '<!doctype html><h1>Welcome</h1>', { 'content-type': 'text/html' })],
  ['redirect', false, (_, res) => send(res, 307, '', { location: '/catalog/search' })],
]

export const SEARCH_API_FAULTS: readonly Fault[] = TROUBLES.map(([name, isQuick, behaviour]) => ({
  name: `search-api-${name}`,
  isQuick,
  run: async () => {
    using home = new Home()
    let service = await startScriptedService()
    home.write(configWith(service))
    await using program = await Program.start(home)
    const client = await program.client()
    try {
      await until(() => isAnswering(client), 30_000)
      if (behaviour === 'down') await service.close()
      else service.behave(behaviour)
      const first = await stoodInFor(client)
      for (let failure = 2; failure <= 3; failure++) await stoodInFor(client)
      const open = [await stoodInFor(client), await stoodInFor(client), await stoodInFor(client)].toSorted(
        (a, b) => a - b,
      )
      if (behaviour === 'down') service = await startScriptedService(findsAll, Number(new URL(service.url).port))
      else service.behave(findsAll)
      const back = await timed(() => until(() => isAnswering(client), BACK_MS * 2))
      return [
        within(first, FIRST_MS, 'replaced after'),
        within(open[1] ?? Infinity, OPEN_MS, 'with the breaker open after'),
        within(back.ms, BACK_MS, 'used again after'),
      ].join(', ')
    } finally {
      await service.close()
    }
  },
}))

function configWith({ url }: ScriptedService): string {
  return JSON.stringify({
    mcpServers: { good: evilServer() },
    endpoints: { open: { exposure: 'meta-tools', strategy: 'cloud', auth: 'none' } },
    searchApi: { url, timeoutMs: TIME_LIMIT_MS },
  })
}

interface Answer {
  readonly results: readonly { readonly toolKey: string }[]
  readonly answeredBy: string
  readonly degraded?: { readonly strategy: string }
}

async function search(client: MinimalClient): Promise<Answer> {
  const { structuredContent } = await client.call('tool_discovery', { query: ['echo'] })
  return structuredContent as Answer
}

/** Once there are tools to be found, and the service finds them. */
async function isAnswering(client: MinimalClient): Promise<true | undefined> {
  const { answeredBy, results } = await search(client)
  return (answeredBy === 'cloud' && results.length > 0) || undefined
}

/** The duration of a search that bm25 answers. */
async function stoodInFor(client: MinimalClient): Promise<number> {
  const { value, ms } = await timed(() => search(client))
  promise(value.answeredBy === 'bm25' && value.degraded?.strategy === 'cloud', `${value.answeredBy} answered`)
  promise(value.results[0]?.toolKey === 'good:echo', 'the tool was not found')
  promise(
    value.results.every(({ toolKey }) => toolKey.startsWith('good:')),
    'a foreign tool was found',
  )
  return ms
}

function sendMuch(res: ServerResponse, sent: number): void {
  const chunk = Buffer.alloc(64 * 1024, 0x20)
  if (res.destroyed || sent >= GIGABYTE) return void res.end()
  if (res.write(chunk)) setImmediate(() => sendMuch(res, sent + chunk.length))
  else res.once('drain', () => sendMuch(res, sent + chunk.length))
}
