/** `npm run bench:gateway`: calls through the gateway beside calls to the same server without it, in one run. */
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type BenchClient, CLIENTS } from './clients.ts'
import { LeanClient } from './lean-client.ts'
import { Series } from './measure.ts'
import { GatewayHome, type MeasuredProcess, startEcho } from './processes.ts'
import { type CallFigures, type Figures, table } from './report.ts'

const ROUNDS = 5
const SEQUENTIAL = 400
const PARALLEL = 1_000
const IN_FLIGHT = 64
const WARM_UP = 300
const SETTLED_MS = 1_500

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, profile: { type: 'string' } },
})
const progress = (line: string): void => void process.stderr.write(`${line}\n`)

/** Calls on both sides in turn, so that whatever else the machine does meets both. */
async function compare(kind: keyof typeof CLIENTS, direct: string, gateway: MeasuredProcess): Promise<CallFigures> {
  const sides = { direct: await CLIENTS[kind](direct), gateway: await CLIENTS[kind](gateway.url) }
  const series = { direct: new Series(), gateway: new Series() }
  for (const side of Object.values(sides)) await new Series().parallel(side.echo, WARM_UP, IN_FLIGHT)
  let cpuMs = 0
  for (let round = 1; round <= ROUNDS; round++) {
    progress(`${kind}: round ${round} of ${ROUNDS}`)
    await oneRound(sides.direct, series.direct)
    const before = gateway.cpuMs()
    await oneRound(sides.gateway, series.gateway)
    cpuMs += gateway.cpuMs() - before
  }
  for (const side of Object.values(sides)) await side.close()
  return { ...series, cpuMsPerCall: cpuMs / (ROUNDS * (SEQUENTIAL + PARALLEL)) }
}

async function oneRound(client: BenchClient, series: Series): Promise<void> {
  await series.sequential(client.echo, SEQUENTIAL)
  await series.parallel(client.echo, PARALLEL, IN_FLIGHT)
}

/** The list of a thousand tools, and how soon after its start a gateway that knows them answers. */
async function lists(): Promise<Figures['lists']> {
  await using echo = await startEcho(1_000)
  using home = new GatewayHome({ echo: { url: echo.url } })
  {
    await using gateway = await home.start()
    const client = await new LeanClient(gateway.url).connect()
    while ((await toolCount(client)) < 1_000) await delay(20)
    // Time to keep the lists on disk.
    await delay(SETTLED_MS)
    client.close()
  }
  progress('a list of 1,000 tools')
  const since = performance.now()
  await using gateway = await home.start(values.profile === 'start' ? ['--cpu-prof'] : [])
  const listeningMs = performance.now() - since
  const client = await new LeanClient(gateway.url).connect()
  const known = await toolCount(client)
  const firstListMs = performance.now() - since
  if (known !== 1_000) throw new Error(`The first list had ${known} tools`)
  const series = new Series()
  await delay(SETTLED_MS)
  await series.sequential(async () => void (await client.request('tools/list')), 100)
  client.close()
  return { listeningMs, firstListMs, listP50Ms: series.percentile(50) }
}

async function toolCount(client: LeanClient): Promise<number> {
  const { tools } = await client.request('tools/list')
  return tools.length
}

async function measure(): Promise<Figures> {
  await using echo = await startEcho()
  using home = new GatewayHome({ echo: { url: echo.url } })
  await using gateway = await home.start(values.profile === 'calls' ? ['--cpu-prof'] : [])
  const client = await new LeanClient(gateway.url).connect()
  while ((await toolCount(client)) < 1) await delay(20)
  client.close()
  await delay(SETTLED_MS)
  const rssIdleMb = gateway.rssMb()
  const lean = await compare('lean', echo.url, gateway)
  const rssAfterMb = gateway.rssMb()
  const sdk = await compare('sdk', echo.url, gateway)
  return { rssIdleMb, rssAfterMb, lean, sdk, lists: await lists() }
}

const figures = await measure()
const { lean, sdk, rssIdleMb, rssAfterMb } = figures
if (values.json) {
  const result = {
    p50Ratio: lean.gateway.percentile(50) / lean.direct.percentile(50),
    p99Ratio: lean.gateway.percentile(99) / lean.direct.percentile(99),
    throughputRatio64: lean.gateway.throughput / lean.direct.throughput,
    cpuMsPerCall: lean.cpuMsPerCall,
    rssIdleMb,
    rssAfterMb,
    errors: lean.gateway.errors + sdk.gateway.errors,
    sdkP50Ratio: sdk.gateway.percentile(50) / sdk.direct.percentile(50),
    sdkThroughputRatio64: sdk.gateway.throughput / sdk.direct.throughput,
    ...figures.lists,
  }
  const rounded = Object.entries(result).map(([name, value]) => [name, Math.round(value * 1_000) / 1_000])
  process.stdout.write(`${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`)
} else process.stdout.write(table(figures))
