/** `npm run bench:gateway`: calls through the gateway beside calls to the same server without it, in one run. */
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type BenchClient, CLIENTS } from './clients.ts'
import { MinimalClient } from './minimal-client.ts'
import { Series } from './measure.ts'
import { GatewayHome, type MeasuredProcess, startEcho } from './processes.ts'
import { type CallFigures, type Figures, table } from './report.ts'

const ROUNDS = 5
const SEQUENTIAL = 400
const PARALLEL = 1_000
const IN_FLIGHT = 64
const WARM_UP = 300
const SETTLED_MS = 1_500
const LISTS = 100

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, profile: { type: 'string' } },
})
const progress = (line: string): void => void process.stderr.write(`${line}\n`)

/** Calls both sides in turn, so that other load on the machine affects both. */
async function compare(
  kind: keyof typeof CLIENTS,
  echo: MeasuredProcess,
  gateway: MeasuredProcess,
): Promise<CallFigures> {
  const sides = { direct: await CLIENTS[kind](echo.url), gateway: await CLIENTS[kind](gateway.url) }
  const series = { direct: new Series(), gateway: new Series() }
  for (const side of Object.values(sides)) await new Series().parallel(side.echo, WARM_UP, IN_FLIGHT)
  const cpuMs = { direct: 0, gateway: 0 }
  const measured = async (side: keyof typeof sides, program: MeasuredProcess): Promise<void> => {
    const before = program.cpuMs()
    await oneRound(sides[side], series[side])
    cpuMs[side] += program.cpuMs() - before
  }
  for (let round = 1; round <= ROUNDS; round++) {
    progress(`${kind}: round ${round} of ${ROUNDS}`)
    await measured('direct', echo)
    await measured('gateway', gateway)
  }
  for (const side of Object.values(sides)) await side.close()
  const calls = ROUNDS * (SEQUENTIAL + PARALLEL)
  return { ...series, cpuMsPerCall: cpuMs.gateway / calls, directCpuMsPerCall: cpuMs.direct / calls }
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
    const client = await new MinimalClient(gateway.url).connect()
    while ((await toolCount(client)) < 1_000) await delay(20)
    // Time for the gateway to write the lists to disk.
    await delay(SETTLED_MS)
    client.close()
  }
  progress('a list of 1,000 tools')
  const since = performance.now()
  await using gateway = await home.start(values.profile === 'start' ? ['--cpu-prof'] : [])
  const listeningMs = performance.now() - since
  const client = await new MinimalClient(gateway.url).connect()
  const known = await toolCount(client)
  const firstListMs = performance.now() - since
  if (known !== 1_000) throw new Error(`The first list had ${known} tools`)
  await delay(SETTLED_MS)
  const listP50Ms = await listsOf(client)
  client.close()
  const direct = await new MinimalClient(echo.url).connect()
  const directListP50Ms = await listsOf(direct)
  direct.close()
  return { listeningMs, firstListMs, listP50Ms, directListP50Ms }
}

async function listsOf(client: MinimalClient): Promise<number> {
  const series = new Series()
  await series.sequential(async () => void (await client.request('tools/list')), LISTS)
  return series.percentile(50)
}

async function toolCount(client: MinimalClient): Promise<number> {
  const { tools } = await client.request('tools/list')
  return tools.length
}

async function measure(): Promise<Figures> {
  await using echo = await startEcho()
  using home = new GatewayHome({ echo: { url: echo.url } })
  await using gateway = await home.start(values.profile === 'calls' ? ['--cpu-prof'] : [])
  const client = await new MinimalClient(gateway.url).connect()
  while ((await toolCount(client)) < 1) await delay(20)
  client.close()
  await delay(SETTLED_MS)
  const idle = { direct: echo.rssMb(), gateway: gateway.rssMb() }
  const minimal = await compare('minimal', echo, gateway)
  const after = { direct: echo.rssMb(), gateway: gateway.rssMb() }
  const sdk = await compare('sdk', echo, gateway)
  return { rssMb: { idle, after }, minimal, sdk, lists: await lists() }
}

const figures = await measure()
const { minimal, sdk, rssMb } = figures
if (values.json) {
  const result = {
    p50Ratio: minimal.gateway.percentile(50) / minimal.direct.percentile(50),
    p99Ratio: minimal.gateway.percentile(99) / minimal.direct.percentile(99),
    throughputRatio64: minimal.gateway.throughput / minimal.direct.throughput,
    cpuMsPerCall: minimal.cpuMsPerCall,
    rssIdleMb: rssMb.idle.gateway,
    rssAfterMb: rssMb.after.gateway,
    errors: minimal.gateway.errors + sdk.gateway.errors,
    sdkP50Ratio: sdk.gateway.percentile(50) / sdk.direct.percentile(50),
    sdkThroughputRatio64: sdk.gateway.throughput / sdk.direct.throughput,
    directCpuMsPerCall: minimal.directCpuMsPerCall,
    ...figures.lists,
  }
  const rounded = Object.entries(result).map(([name, value]) => [name, Math.round(value * 1_000) / 1_000])
  process.stdout.write(`${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`)
} else process.stdout.write(table(figures))
