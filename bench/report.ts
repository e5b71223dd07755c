import type { Series } from './measure.ts'

/** Calls of one kind of client, on both sides. */
export interface CallFigures {
  readonly direct: Series
  readonly gateway: Series
  readonly cpuMsPerCall: number
}

/** Everything that is measured. */
export interface Figures {
  readonly lean: CallFigures
  readonly sdk: CallFigures
  readonly rssIdleMb: number
  readonly rssAfterMb: number
  readonly lists: { readonly listeningMs: number; readonly firstListMs: number; readonly listP50Ms: number }
}

/** The figures for people, each with what it should reach. */
export function table({ lean, sdk, rssIdleMb, rssAfterMb, lists }: Figures): string {
  const rows = [
    ['', 'direct', 'gateway', 'ratio', 'goal'],
    ...callRows('lean client', lean),
    ...callRows('SDK client', sdk),
    ['processor time a call', '', `${lean.cpuMsPerCall.toFixed(2)} ms`, '', '≤ 0.4 ms'],
    ['memory, idle', '', `${rssIdleMb.toFixed(0)} MB`, '', '≤ 90 MB'],
    ['memory, after 7,000 calls', '', `${rssAfterMb.toFixed(0)} MB`, '', '≤ 170 MB'],
    ['tools/list of 1,000', '', `${lists.listP50Ms.toFixed(1)} ms`, '', '≤ 10 ms'],
    ['listening after start', '', `${lists.listeningMs.toFixed(0)} ms`, '', ''],
    ['tools/list after start', '', `${lists.firstListMs.toFixed(0)} ms`, '', '≤ 500 ms'],
    ['errors', '', String(lean.gateway.errors + sdk.gateway.errors), '', '0'],
  ]
  const widths = [28, 14, 14, 8, 10]
  const line = (row: readonly string[]): string => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('')
  return `${rows.map((row) => line(row).trimEnd()).join('\n')}\n`
}

function callRows(client: string, { direct, gateway }: CallFigures): readonly (readonly string[])[] {
  const latency = (percent: number): readonly string[] => {
    const [left, right] = [direct.percentile(percent), gateway.percentile(percent)]
    return [`${left.toFixed(2)} ms`, `${right.toFixed(2)} ms`, `${(right / left).toFixed(2)} ×`]
  }
  const rate = (series: Series): string => `${series.throughput.toFixed(0)}/s`
  const ratio = `${(gateway.throughput / direct.throughput).toFixed(2)} ×`
  return [
    [`${client}, p50`, ...latency(50), '≤ 2 ×'],
    [`${client}, p99`, ...latency(99), ''],
    [`${client}, 64 in flight`, rate(direct), rate(gateway), ratio, '≥ 0.5 ×'],
  ]
}
