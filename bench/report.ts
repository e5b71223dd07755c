import type { Series } from './measure.ts'

/** Calls of one kind of client, on both sides. */
export interface CallFigures {
  readonly direct: Series
  readonly gateway: Series
  readonly cpuMsPerCall: number
  /** Of the server alone. */
  readonly directCpuMsPerCall: number
}

interface OnBothSides {
  readonly direct: number
  readonly gateway: number
}

/** All figures of a run. */
export interface Figures {
  readonly minimal: CallFigures
  readonly sdk: CallFigures
  /** Of the server and of the gateway. */
  readonly rssMb: { readonly idle: OnBothSides; readonly after: OnBothSides }
  readonly lists: {
    readonly listeningMs: number
    readonly firstListMs: number
    readonly listP50Ms: number
    readonly directListP50Ms: number
  }
}

/** The figures as a table, each with its goal. */
export function table({ minimal, sdk, rssMb, lists }: Figures): string {
  const rows = [
    ['', 'direct', 'gateway', 'ratio', 'goal'],
    ...callRows('minimal client', minimal),
    ...callRows('SDK client', sdk),
    row(
      'processor time a call',
      minimal.directCpuMsPerCall,
      minimal.cpuMsPerCall,
      (ms) => `${ms.toFixed(2)} ms`,
      '≤ 0.5 ms',
    ),
    row('memory, idle', rssMb.idle.direct, rssMb.idle.gateway, inMb, '≤ 90 MB'),
    row('memory, after 7,000 calls', rssMb.after.direct, rssMb.after.gateway, inMb, '≤ 150 MB'),
    row('tools/list of 1,000', lists.directListP50Ms, lists.listP50Ms, (ms) => `${ms.toFixed(1)} ms`, '≤ 10 ms'),
    ['listening after start', '', `${lists.listeningMs.toFixed(0)} ms`, '', ''],
    ['tools/list after start', '', `${lists.firstListMs.toFixed(0)} ms`, '', '≤ 500 ms'],
    ['errors', '', String(minimal.gateway.errors + sdk.gateway.errors), '', '0'],
  ]
  const widths = [28, 14, 14, 8, 10]
  const line = (row: readonly string[]): string => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('')
  return `${rows.map((row) => line(row).trimEnd()).join('\n')}\n`
}

const inMb = (mb: number): string => `${mb.toFixed(0)} MB`

function row(
  name: string,
  direct: number,
  gateway: number,
  text: (value: number) => string,
  goal: string,
): readonly string[] {
  return [name, text(direct), text(gateway), `${(gateway / direct).toFixed(2)} ×`, goal]
}

function callRows(client: string, { direct, gateway }: CallFigures): readonly (readonly string[])[] {
  const latency = (percent: number): readonly string[] => {
    const [left, right] = [direct.percentile(percent), gateway.percentile(percent)]
    return [`${left.toFixed(2)} ms`, `${right.toFixed(2)} ms`, `${(right / left).toFixed(2)} ×`]
  }
  const rate = (series: Series): string => `${series.throughput.toFixed(0)}/s`
  const ratio = `${(gateway.throughput / direct.throughput).toFixed(2)} ×`
  return [
    [`${client}, p50`, ...latency(50), '≤ 2.5 ×'],
    [`${client}, p99`, ...latency(99), ''],
    [`${client}, 64 in flight`, rate(direct), rate(gateway), ratio, '≥ 0.5 ×'],
  ]
}
