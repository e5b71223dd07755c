/** `npm run coldstarts`: what the first client of a gateway without stored lists gets, and when. */
import { parseArgs } from 'node:util'
import { type ColdStart, coldStart, coldStarts, ColdHome, firstList, type FirstList } from './cold-start.ts'

const FIRST_LIST_WITHIN_MS = 3_500

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    /** Cold starts per transport; with --full, per transport, exposure and number of servers. */
    runs: { type: 'string', default: '100' },
    full: { type: 'boolean', default: false },
  },
})
const say = (line: string): void => void (values.json ? process.stderr : process.stdout).write(`${line}\n`)

interface Outcome {
  readonly start: ColdStart
  readonly list: FirstList
}

const outcomes: Outcome[] = []
for (const start of coldStarts(Number(values.runs), values.full)) {
  const list = await coldStart(start)
  outcomes.push({ start, list })
  const { transport, exposure, client, servers, slow } = start
  const what = `${transport} ${exposure} ${client}, ${servers} servers, ${slow} of them slow`
  say(
    `${what}: ${list.tools.length} tools after ${list.fromRequestMs.toFixed(0)} ms, ${list.fromStartMs.toFixed(0)} from the start`,
  )
}
const inARow = await shortLivedClients()
const figures = {
  ...Object.fromEntries(['stdio', 'http'].map((transport) => [transport, figuresOf(transport)])),
  shortLived: inARow.map(({ tools, fromRequestMs }) => ({ tools: tools.length, ms: Math.round(fromRequestMs) })),
}
const isBroken =
  outcomes.some(({ list }) => list.tools.length === 0 || list.fromRequestMs > FIRST_LIST_WITHIN_MS) ||
  inARow.some(({ tools }) => tools.length !== 9)
if (values.json) process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
else say(JSON.stringify(figures))
process.exit(isBroken ? 1 : 0)

function figuresOf(transport: string): object {
  const lists = outcomes.filter(({ start }) => start.transport === transport).map(({ list }) => list)
  const slowest = (pick: (list: FirstList) => number): number => Math.round(Math.max(0, ...lists.map(pick)))
  const late = lists.filter(({ fromRequestMs }) => fromRequestMs > FIRST_LIST_WITHIN_MS).length
  return {
    coldStarts: lists.length,
    empty: lists.filter(({ tools }) => tools.length === 0).length,
    later: late,
    slowestMs: slowest(({ fromRequestMs }) => fromRequestMs),
    slowestFromStartMs: slowest(({ fromStartMs }) => fromStartMs),
  }
}

/** Three clients one after the other, each with a program of its own, on one data folder. */
async function shortLivedClients(): Promise<FirstList[]> {
  using home = new ColdHome({ exposure: 'full', servers: 3, slow: 0, slowMs: 0 })
  const lists: FirstList[] = []
  for (const kind of ['v1', 'legacy', 'modern'] as const) {
    const startedAt = performance.now()
    lists.push(await firstList(await home.stdioClient(kind), startedAt))
  }
  return lists
}
