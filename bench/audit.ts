/** `npm run bench:audit`: what the audit log adds to a call, beside the same gateway with a log that keeps nothing. */
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type BenchClient, CLIENTS } from './clients.ts'
import { Series } from './measure.ts'
import { GatewayHome, type MeasuredProcess, startEcho } from './processes.ts'

const ROUNDS = 60
const CALLS = 100
const IN_FLIGHT = 16
const WARM_UP = 2_000
const MAIN = fileURLToPath(new URL('../packages/gateway/src/main.ts', import.meta.url))
const WITHOUT = ['--import', new URL('./without-audit.ts', import.meta.url).href]

const progress = (line: string): void => void process.stderr.write(`${line}\n`)

/** One of the two gateways. */
interface Side {
  readonly gateway: MeasuredProcess
  readonly client: BenchClient
  readonly series: Series
  cpuMs: number
}

async function sideOf(gateway: MeasuredProcess): Promise<Side> {
  const client = await CLIENTS.minimal(gateway.url)
  const isReady = (): Promise<boolean> =>
    client
      .echo()
      .then(() => true)
      .catch(() => false)
  while (!(await isReady())) await delay(20)
  await new Series().parallel(client.echo, WARM_UP, IN_FLIGHT)
  return { gateway, client, series: new Series(), cpuMs: 0 }
}

/** Short turns, so that other load on the machine affects both sides. */
async function turn(side: Side): Promise<void> {
  const before = side.gateway.cpuMs()
  await side.series.sequential(side.client.echo, CALLS)
  await side.series.parallel(side.client.echo, CALLS, IN_FLIGHT)
  side.cpuMs += side.gateway.cpuMs() - before
}

await using echo = await startEcho()
using homes = new DisposableStack()
const home = (): GatewayHome => homes.use(new GatewayHome({ echo: { url: echo.url } }))
await using withAudit = await home().start(['--conditions=tooldex-source'], MAIN)
await using withoutAudit = await home().start(['--conditions=tooldex-source', ...WITHOUT], MAIN)
const sides = { with: await sideOf(withAudit), without: await sideOf(withoutAudit) }
for (let round = 1; round <= ROUNDS; round++) {
  if (round % 10 === 0) progress(`round ${round} of ${ROUNDS}`)
  for (const side of round % 2 === 0 ? [sides.with, sides.without] : [sides.without, sides.with]) await turn(side)
}
for (const { client } of Object.values(sides)) await client.close()

const calls = ROUNDS * CALLS * 2
const result = {
  p50Ratio: sides.with.series.percentile(50) / sides.without.series.percentile(50),
  throughputRatio: sides.with.series.throughput / sides.without.series.throughput,
  cpuMsPerCall: sides.with.cpuMs / calls,
  cpuMsPerCallWithout: sides.without.cpuMs / calls,
  errors: sides.with.series.errors + sides.without.series.errors,
}
const rounded = Object.entries(result).map(([name, value]) => [name, Math.round(value * 1_000) / 1_000])
process.stdout.write(`${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`)
