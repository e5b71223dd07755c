// npm run bench:search-api: the figures of the service. Everything is warm: tools were sent before, questions were not.
import { loadStaticEmbedder } from '@tooldex/embeddings'
import { createQueryReader } from '@tooldex/languages'
import { HybridProvider } from '@tooldex/search'
import { indexTools } from '../src/rank/tool-sets.ts'
import { type BenchService, startService } from './client.ts'
import { query, sentTools } from './questions.ts'
import { ms, quantile } from './statistics.ts'

const REQUESTS_PER_SECOND = 200
const SECONDS = Number(process.argv[2] ?? 10)
const SETS = 10

const started = await startService()
try {
  await underLoad(started)
  await besideLocal(started)
  for (const count of [5_000, 20_000]) await byReference(started, count)
} finally {
  started.close()
}

/** Requests come when they come, whether or not earlier ones were answered. */
async function underLoad(service: BenchService): Promise<void> {
  const { ask } = service
  const sets = Array.from({ length: SETS }, (_, at) => sentTools(200, at + 1))
  const bodyOf = (nth: number) => bytes(query(nth), sets[nth % SETS] ?? [])
  for (let nth = 0; nth < 3 * SETS; nth++) await ask(bodyOf(nth + 1_000_000))
  const bodies = Array.from({ length: REQUESTS_PER_SECOND * SECONDS }, (_, nth) => bodyOf(nth))
  const usedBefore = await service.cpuMs()
  const startedAt = performance.now()
  const asked: Promise<number>[] = []
  for (const [nth, body] of bodies.entries()) {
    const wait = startedAt + (nth * 1_000) / REQUESTS_PER_SECOND - performance.now()
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait))
    asked.push(ask(body))
  }
  const times = await Promise.all(asked)
  const rate = times.length / ((performance.now() - startedAt) / 1_000)
  const used = ((await service.cpuMs()) - usedBefore) / times.length
  console.log(`200 tools a request, ${rate.toFixed(0)} requests/s, one process, ${times.length} requests:`)
  console.log(`  p50 ${ms(quantile(times, 0.5))}  p95 ${ms(quantile(times, 0.95))}  p99 ${ms(quantile(times, 0.99))}`)
  console.log(`  processor time of the service: ${ms(used)} a request`)
}

/** Sequentially: the time that the service adds to a local search. */
async function besideLocal({ ask }: BenchService): Promise<void> {
  const tools = sentTools(1_000, 99)
  const provider = new HybridProvider([loadStaticEmbedder()], { queryReader: createQueryReader() })
  await indexTools(tools, provider)
  const local: number[] = []
  const remote: number[] = []
  for (let nth = 0; nth < 250; nth++) {
    const queries = [query(nth)]
    const startedAt = performance.now()
    await provider.search({ queries, maxResults: 10, explain: true })
    const here = performance.now() - startedAt
    // Includes making the body, as a gateway does for each search.
    const composedAt = performance.now()
    const body = bytes(query(nth), tools)
    const composing = performance.now() - composedAt
    const there = composing + (await ask(body))
    if (nth >= 50) {
      local.push(here)
      remote.push(there)
    }
  }
  const added = quantile(remote, 0.5) - quantile(local, 0.5)
  console.log('1,000 tools, one request at a time:')
  console.log(
    `  local hybrid p50 ${ms(quantile(local, 0.5))}  service p50 ${ms(quantile(remote, 0.5))}  added ${ms(added)}`,
  )
}

/** Many tools, one request at a time: sent with each search where the service takes so many, and by reference with a rule. */
async function byReference(service: BenchService, count: number): Promise<void> {
  const tools = sentTools(count, 7)
  const path = await service.upload(Buffer.from(tools.map((tool) => `${JSON.stringify(tool)}\n`).join('')))
  const servers = [...new Set(tools.map(({ serverName }) => serverName))]
  const rule = { servers: servers.slice(0, 40), except: [tools[0]?.toolKey] }
  const kinds: [string, (nth: number) => [Buffer, string?]][] = [
    ['sent', (nth) => [bytes(query(nth), tools)]],
    ['by reference', (nth) => [Buffer.from(JSON.stringify({ query: [query(nth)], maxResults: 10 })), path]],
    ['with a rule', (nth) => [Buffer.from(JSON.stringify({ query: [query(nth)], rule, maxResults: 10 })), path]],
  ]
  console.log(`${count.toLocaleString('en')} tools of ${servers.length} servers, one request at a time:`)
  for (const [name, requestOf] of kinds) {
    for (let nth = 0; nth < 20; nth++) await service.ask(...requestOf(nth + 2_000_000))
    const before = await service.cpuMs()
    const times: number[] = []
    for (let nth = 0; nth < 100; nth++) times.push(await service.ask(...requestOf(nth)))
    const used = ((await service.cpuMs()) - before) / times.length
    const size = requestOf(0)[0].length
    console.log(`  ${name.padEnd(12)} ${size} bytes, processor time ${ms(used)}, p50 ${ms(quantile(times, 0.5))}`)
  }
}

function bytes(text: string, tools: readonly object[]): Buffer {
  return Buffer.from(JSON.stringify({ query: [text], tools, maxResults: 10 }))
}
