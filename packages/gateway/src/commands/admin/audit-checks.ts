import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { AdminAuditEntry } from '@tooldex/contract/admin'
import type { Command } from 'commander'
import { GatewayError } from '../../errors.ts'
import type { AuditFinding, AuditVerification } from '../../audit/verify-audit.ts'
import { type CommonOptions, common, examples, wholeNumber } from '../terminal/command-options.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { counted, grouped, table } from '../terminal/terminal.ts'
import { type Admin, answer, type Registry } from './admin.ts'
import { momentOf, timeText, whatText } from './audit-text.ts'

const MOST_SHOWN = 20

/** Adds `tooldex audit verify` and `tooldex audit searches`. */
export function addAuditChecks(audit: Command, { manage }: Registry): void {
  common(audit.command('verify'))
    .description('Check that no entry was removed, changed or moved')
    .argument('[file]', 'an export or a log file (default: the entries of the gateway)')
    .addHelpText('after', examples('tooldex audit verify', 'tooldex audit verify audit.jsonl'))
    .action((file: string | undefined, _: unknown, command: Command) => {
      const options: CommonOptions = command.optsWithGlobals()
      return manage(options, (admin) => verify(admin, file))
    })

  common(audit.command('searches'))
    .description('Show searches by their texts, and which found nothing or led to no call')
    .option('--unanswered', 'only those that found nothing or led to no call')
    .option('--project <id>', 'searches in this project')
    .option('--since <when>', 'start: 15m, 1h, 7d ago, or a date (default: 30d)')
    .option('--max <number>', 'number of texts (default: 50)', wholeNumber(1, 500))
    .addHelpText('after', examples('tooldex audit searches --unanswered --since 7d'))
    .action((_: unknown, command: Command) => {
      const options: CommonOptions & SearchesOptions = command.optsWithGlobals()
      return manage(options, (admin) => searches(admin, options))
    })
}

async function verify(admin: Admin, file: string | undefined): Promise<number> {
  const { verifyAudit } = await import('../../audit/verify-audit.ts')
  const text =
    file === undefined ? await storedEntries(admin) : await fileText(resolve(admin.context.environment.cwd, file), file)
  const result = await verifyAudit(text)
  if (result.entries === 0 && result.findings.length === 0 && file !== undefined) {
    throw new GatewayError('INVALID_ARGUMENTS', {
      reason: `${file} has no audit entries`,
      remedy: 'Give a file of `tooldex audit export`; CSV cannot be verified',
    })
  }
  answer(admin, { ...result, findings: result.findings.map(plainFinding) }, verdict(result))
  return result.findings.length === 0 ? EXIT.ok : EXIT.failed
}

async function storedEntries({ client }: Admin): Promise<AsyncIterable<string>> {
  const { body } = await client.open('exportAudit', { query: { format: 'jsonl' } })
  return decoded(body ?? new ReadableStream())
}

async function* decoded(body: ReadableStream): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of body) yield decoder.decode(chunk as Uint8Array, { stream: true })
}

async function fileText(path: string, shown: string): Promise<AsyncIterable<string>> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() === true) return createReadStream(path, 'utf8') as AsyncIterable<string>
  throw new GatewayError('INVALID_ARGUMENTS', { reason: `there is no file ${shown}`, remedy: 'Check the path' })
}

function verdict(result: AuditVerification): string[] {
  const { entries, checked, unchecked, outside, isSelection, findings } = result
  const more = findings.length - MOST_SHOWN
  return [
    ...findings.slice(0, MOST_SHOWN).map((finding) => `  ${sentence(finding)}`),
    ...(more > 0 ? [`  and ${grouped(more)} more`] : []),
    `  ${counted(entries, 'entry').replace('entrys', 'entries')}, ${grouped(checked)} verified`,
    ...(outside > 0 ? [`  ${grouped(outside)} of an earlier release are outside of the chain`] : []),
    ...(unchecked > 0
      ? [`  ${grouped(unchecked)} could not be verified, because the entry before them is not there`]
      : []),
    ...(isSelection ? ['  this is a selection: missing entries cannot be noticed in it'] : []),
    findings.length === 0 ? '  the chain is whole' : '  the chain is broken',
  ]
}

/** A problem as one sentence that names the entry. */
function sentence(finding: AuditFinding): string {
  switch (finding.problem) {
    case 'missing': {
      const { from, to, after } = finding
      const which = from === to ? `entry ${from} is missing` : `entries ${from} to ${to} are missing`
      return after === undefined ? `${which}, at the start` : `${which}, after ${nameOf(after)}`
    }
    case 'changed':
      return `${nameOf(finding.entry)} was changed`
    case 'queries-changed':
      return `the query texts of ${nameOf(finding.entry)} were changed`
    case 'moved':
      return `${nameOf(finding.entry)} was moved`
    case 'repeated':
      return `${nameOf(finding.entry)} is there twice`
    case 'unchained':
      return `${nameOf(finding.entry)} was added without a place in the chain`
    case 'unreadable':
      return `line ${finding.line} is not an audit entry`
    case 'cut':
      return `the file was cut: it ends after ${counted(finding.entries, 'entry').replace('entrys', 'entries')}, in the middle`
    case 'miscounted':
      return `the file has ${grouped(finding.entries)} entries, but was written with ${grouped(finding.expected)}`
    case 'too-new':
      return `a newer release wrote this file (version ${finding.version}): verify it with that release`
  }
}

type Named = { readonly chain?: { readonly seq: number } | undefined; readonly at: number }

function nameOf(entry: Named): string {
  const number = entry.chain === undefined ? 'an entry' : `entry ${entry.chain.seq}`
  return `${number} (${timeText(entry.at)}, ${whatText(entry as AdminAuditEntry)})`
}

function plainFinding(finding: AuditFinding): object {
  const entry = 'entry' in finding ? finding.entry : undefined
  const { problem } = finding
  const rest =
    'entry' in finding
      ? { seq: (entry as Named).chain?.seq, requestId: entry?.requestId }
      : { ...finding, after: undefined }
  return { ...rest, problem, text: sentence(finding) }
}

/** Options of `tooldex audit searches`. */
interface SearchesOptions {
  readonly unanswered?: boolean
  readonly project?: string
  readonly since?: string
  readonly max?: number
}

async function searches(
  admin: Admin,
  { unanswered = false, project, since, max = 50 }: SearchesOptions,
): Promise<number> {
  const { items, withoutTexts } = await admin.client.ask('listSearches', {
    query: {
      unanswered: unanswered ? 'true' : 'false',
      limit: max,
      ...(project !== undefined && { project }),
      ...(since !== undefined && { from: momentOf(since, admin.context.now(), '--since') }),
    },
  })
  const rows = items.map(({ queries, searches: times, foundNothing, ledToNoCall, lastAt }) => [
    grouped(times),
    grouped(foundNothing),
    grouped(ledToNoCall),
    timeText(lastAt),
    queries.join(' | '),
  ])
  const head = ['searches', 'found nothing', 'no call', 'last', 'query']
  const lines = rows.length === 0 ? ['  no searches'] : table(head, rows, admin.context.terminal)
  const note = `  ${grouped(withoutTexts)} searches have no texts: they are older than audit.keepQueryDays, or audit.queries was false`
  return answer(admin, { searches: items, withoutTexts }, withoutTexts > 0 ? [...lines, note] : lines)
}
