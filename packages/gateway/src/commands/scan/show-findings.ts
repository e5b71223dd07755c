import type { ScanReport } from '@tooldex/contract/admin'
import { clean, counted, paintFor, type Terminal, truncate } from '../terminal/terminal.ts'
import type { CommandReport } from './scan.ts'

type Finding = ScanReport['findings'][number]

const SEVERITIES = ['block', 'hold', 'remark'] as const
const MOST_SHOWN = 200

/** What was found, worst first, for people. */
export function showFindings(report: CommandReport, terminal: Pick<Terminal, 'width' | 'colours'>): string[] {
  const paint = paintFor(terminal)
  const { findings, accepted, servers, texts, files } = report
  const scanned = files.length > 0 ? counted(files.length, 'file') : counted(servers, 'server')
  const left = accepted === 0 ? '' : `; ${counted(accepted, 'accepted finding')} left out`
  const head = `  scanned ${scanned} with ${counted(texts, 'definition')}: ${summary(findings)}${left}`
  const tint = { block: paint.red, hold: paint.yellow, remark: paint.cyan }
  const indent = ' '.repeat(10)
  const sorted = SEVERITIES.flatMap((severity) => findings.filter((each) => each.severity === severity))
  const lines = sorted
    .slice(0, MOST_SHOWN)
    .flatMap((finding) => [
      '',
      `  ${tint[finding.severity](finding.severity.padEnd(6))}  ${paint.bold(clean(placeOf(finding)))}  ${finding.rule}`,
      `${indent}${paint.dim(clean(`${finding.field === '' ? 'text' : finding.field} at ${finding.offset}`))}`,
      `${indent}${truncate(clean(finding.excerpt), Math.max(40, terminal.width - indent.length))}`,
      `${indent}${paint.dim(clean(finding.explanation))}`,
    ])
  const rest = sorted.length > MOST_SHOWN ? ['', `  and ${sorted.length - MOST_SHOWN} more; --json lists all`] : []
  return [head, ...lines, ...rest]
}

function summary(findings: readonly Finding[]): string {
  const counts = SEVERITIES.flatMap((severity) => {
    const count = findings.filter((each) => each.severity === severity).length
    return count === 0 ? [] : [`${count} to ${severity === 'remark' ? 'remark on' : severity}`]
  })
  return counts.length === 0 ? 'nothing found' : counts.join(', ')
}

/** `server:tool`, or what else it is. */
export function placeOf({ server, kind, name }: Pick<Finding, 'server' | 'kind' | 'name'>): string {
  if (kind === 'tool') return `${server}:${name}`
  return kind === 'instructions' ? `${server} (instructions)` : `${server}: ${kind} ${name}`
}
