/** `npm run scan:eval`: reads labelled texts, scans them, prints how many attacks were found and how many honest texts, too. */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type FoldScores, leaveOneOut } from './folds.ts'
import { type BadLine, evidenceIn, readRecords, type ScanRecord } from './records.ts'
import { type Scores, scoresOf, severityIn, type Weighed } from './score.ts'

const HELP = `Usage: npm run scan:eval -- <file.jsonl>... [--json] [--folds] [--assume-benign] [--misses]

Scans labelled texts and prints recall and false positives.

  --json           print JSON
  --folds          also leave out one family, and one source, at a time
  --assume-benign  lines without a label that are tools count as honest
  --misses         list the attacks that were not found and the honest texts that were
`

/** Runs the command; returns its exit code. */
function main(args: readonly string[]): number {
  const { values, positionals } = options(args)
  if (values.help === true || positionals.length === 0) {
    process.stdout.write(HELP)
    return values.help === true ? 0 : 2
  }
  const records: ScanRecord[] = []
  const bad: BadLine[] = []
  for (const file of positionals) {
    let text: string
    try {
      text = readFileSync(file, 'utf8')
    } catch (error) {
      process.stderr.write(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}\n`)
      return 2
    }
    const read = readRecords(file, text, { assumeBenign: values['assume-benign'] === true })
    records.push(...read.records)
    bad.push(...read.bad)
  }
  for (const { file, line, problem } of bad)
    process.stderr.write(`${file}:${line}: this line ${problem}; it is not counted.\n`)
  const counted = records.filter(({ needsPeers, peers }) => !needsPeers || (peers?.length ?? 0) > 0)
  const start = process.cpuUsage()
  const weighed = counted.map((record) => ({ record, evidence: evidenceIn(record) }))
  const { user, system } = process.cpuUsage(start)
  const scores = scoresOf(weighed)
  const folds =
    values.folds === true
      ? {
          folds: {
            family: leaveOneOut(weighed, ({ family }) => family),
            source: leaveOneOut(weighed, ({ source }) => source),
          },
        }
      : {}
  const report = {
    ...scores,
    ...folds,
    counted: counted.length,
    leftOutForPeers: records.length - counted.length,
    badLines: bad,
    processorMsPerRecord: counted.length === 0 ? null : (user + system) / 1_000 / counted.length,
    ...(values.misses === true && { misses: missesIn(weighed) }),
  }
  process.stdout.write(values.json === true ? `${JSON.stringify(report, null, 2)}\n` : rendered(report))
  return 0
}

function options(args: readonly string[]) {
  const flag = { type: 'boolean' } as const
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: flag, folds: flag, 'assume-benign': flag, misses: flag, help: { ...flag, short: 'h' } },
  })
}

function missesIn(weighed: readonly Weighed[]) {
  return weighed
    .map((each) => ({ ...each, severity: severityIn(each) }))
    .filter(({ record, severity }) => (record.label === 'attack') === (severity === undefined))
    .map(({ record: { id, label, family }, severity, evidence }) => ({
      id,
      label,
      family,
      severity: severity ?? 'none',
      signals: [...new Set(evidence.map(({ signal }) => signal))],
    }))
}

interface Report extends Scores {
  readonly folds?: { readonly family: FoldScores; readonly source: FoldScores }
  readonly counted: number
  readonly leftOutForPeers: number
  readonly badLines: readonly BadLine[]
  readonly processorMsPerRecord: number | null
  readonly misses?: ReturnType<typeof missesIn>
}

const percent = (rate: number | null): string => (rate === null ? '–' : `${(rate * 100).toFixed(2)} %`)

function rendered(report: Report): string {
  const {
    recall,
    falsePositive,
    block,
    families,
    concealed,
    perGroup,
    counted,
    leftOutForPeers,
    processorMsPerRecord,
    folds,
  } = report
  const width = Math.max(10, ...Object.keys(families).map((name) => name.length))
  const row = (name: string, ...cells: readonly string[]): string =>
    `  ${name.padEnd(width)}${cells.map((cell) => cell.padStart(11)).join('')}`
  const table = (label: string) =>
    Object.entries(families)
      .filter(([, each]) => each.label === label)
      .map(([name, { count, rate, blockRate }]) => row(name, String(count), percent(rate), percent(blockRate)))
  const lines = [
    row('attacks', 'count', 'found', 'blocked'),
    ...table('attack'),
    row('all', '', percent(recall), percent(block.recall)),
    row('concealed', String(concealed.count), percent(concealed.recall)),
    row('per group', '', percent(perGroup.recall)),
    '',
    row('honest', 'count', 'found', 'blocked'),
    ...table('benign'),
    row('all', '', percent(falsePositive), percent(block.falsePositive)),
    '',
    ...(folds === undefined
      ? []
      : [...foldLines('family', folds.family, row), '', ...foldLines('source', folds.source, row), '']),
    ...(report.misses ?? []).map(
      ({ id, label, family, severity, signals }) =>
        `  ${label === 'attack' ? 'missed' : severity} ${family} ${id}: ${signals.join(', ')}`,
    ),
    `${counted} records, ${processorMsPerRecord?.toFixed(3) ?? '–'} ms of processor time each.${leftOutForPeers === 0 ? '' : ` ${leftOutForPeers} need tools of other servers and have none: left out.`}`,
  ]
  return `${lines.join('\n')}\n`
}

function foldLines(
  what: string,
  { left, recall, falsePositive, block, concealed }: FoldScores,
  row: (name: string, ...cells: readonly string[]) => string,
): string[] {
  return [
    row(`left out: a ${what}`, 'count', 'found', 'blocked'),
    ...Object.entries(left).map(([name, each]) =>
      row(name, String(each.count), percent(each.recall), percent(each.blockRecall)),
    ),
    row('all', '', percent(recall), percent(block.recall)),
    row('concealed', String(concealed.count), percent(concealed.recall)),
    row('honest', '', percent(falsePositive), percent(block.falsePositive)),
  ]
}

process.exitCode = main(process.argv.slice(2))
