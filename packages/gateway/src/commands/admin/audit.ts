import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AdminAuditEntry, AuditQuery } from '@tooldex/contract/admin'
import { type Command, Option } from 'commander'
import { GatewayError } from '../../errors.ts'
import { openPrivateFile } from '../../private-files.ts'
import { type CommonOptions, common, examples, wholeNumber } from '../terminal/command-options.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { type Registry, type Admin, answer, follow } from './admin.ts'
import { clean, table } from '../terminal/terminal.ts'
import { addAuditChecks } from './audit-checks.ts'
import { momentOf, timeText, whatText } from './audit-text.ts'

/** Adds `tooldex audit …`. */
export function addAuditCommands(program: Command, registry: Registry): void {
  const { manage } = registry
  const audit = filters(common(program.command('audit')))
    .description('Show searches, calls, administrative acts and refused tokens, without arguments and results')
    .option('--max <number>', 'number of recent entries (default: 50)', wholeNumber(1, 500))
    .option('--follow', 'print new entries until Ctrl-C')
    .addHelpText(
      'after',
      examples(
        'tooldex audit --since 1h --outcome error',
        'tooldex audit --tool github:delete_repo --since 7d',
        'tooldex audit --follow',
      ),
    )
    .action((options: CommonOptions & AuditOptions) => manage(options, (admin) => showAudit(admin, options)))

  filters(common(audit.command('export')))
    .description('Export all matching entries, oldest first')
    .argument('[file]', 'target file (default: standard output)')
    .option('--csv', 'write CSV')
    .addOption(new Option('--jsonl', 'write JSON Lines (default)').conflicts('csv'))
    .addHelpText(
      'after',
      examples('tooldex audit export --since 30d audit.jsonl', 'tooldex audit export --csv --token laptop > audit.csv'),
    )
    .action((file: string | undefined, _: unknown, command: Command) => {
      // `audit` has options of the same names, and commander assigns the values after `export` to it.
      const options: CommonOptions & AuditOptions & { csv?: boolean } = command.optsWithGlobals()
      return manage(options, (admin) => exportAudit(admin, file, options))
    })
  addAuditChecks(audit, registry)
}

function filters(command: Command): Command {
  return command
    .option('--since <when>', 'start: 15m, 1h, 7d ago, or a date')
    .option('--until <when>', 'end, in the same format')
    .addOption(new Option('--kind <kind>', 'kind of entries').choices(['search', 'call', 'change', 'refusal']))
    .option('--token <name>', 'entries of this token')
    .option('--project <id>', 'entries of this project')
    .option('--endpoint <id>', 'entries of this endpoint')
    .option('--server <id>', 'calls to this server')
    .option('--tool <key>', 'calls of this tool (server:tool), or of this text that named none')
    .option('--request <id>', 'entries of this request')
    .option('--outcome <outcome>', 'ok, error, or an error code')
}

/** Filters and options of `tooldex audit`. */
interface AuditOptions {
  readonly since?: string
  readonly until?: string
  readonly kind?: AdminAuditEntry['kind']
  readonly token?: string
  readonly project?: string
  readonly endpoint?: string
  readonly server?: string
  readonly tool?: string
  readonly request?: string
  readonly outcome?: string
  readonly max?: number
  readonly follow?: boolean
}

/** `tooldex audit` */
export async function showAudit(admin: Admin, options: AuditOptions): Promise<number> {
  const names = await tokenNames(admin)
  const filter = filterOf(options, names, admin.context.now())
  if (options.follow === true) return followAudit(admin, filter, names)
  const { max = 50 } = options
  const items = await newest(admin, filter, max)
  const entries = items.toReversed()
  const head = ['at', 'token', 'client', 'project', 'outcome', 'ms', 'what']
  const rows = entries.map((entry) => rowOf(entry, names))
  const lines = items.length === 0 ? ['  no entries'] : table(head, rows, admin.context.terminal)
  return answer(admin, { entries }, lines)
}

/** Reads page by page: a short page is not always the last one. */
async function newest({ client }: Admin, filter: AuditQuery, max: number): Promise<AdminAuditEntry[]> {
  const found: AdminAuditEntry[] = []
  for (let cursor: string | undefined; ; ) {
    const query = { ...filter, limit: max - found.length, ...(cursor !== undefined && { cursor }) }
    const { items, nextCursor } = await client.ask('listAudit', { query })
    found.push(...items)
    cursor = nextCursor
    if (cursor === undefined || found.length >= max) return found
  }
}

/** `tooldex audit export`: all matching entries, to a file or to standard output. */
async function exportAudit(
  admin: Admin,
  file: string | undefined,
  options: AuditOptions & { readonly csv?: boolean },
): Promise<number> {
  const filter = filterOf(options, await tokenNames(admin), admin.context.now())
  const query = { ...filter, format: options.csv === true ? 'csv' : 'jsonl' } as const
  const { body } = await admin.client.open('exportAudit', { query })
  if (body === null) return EXIT.ok
  const { environment, terminal } = admin.context
  if (file === undefined) {
    const decoder = new TextDecoder()
    for await (const chunk of body) terminal.out(decoder.decode(chunk as Uint8Array, { stream: true }))
    return EXIT.ok
  }
  const path = resolve(environment.cwd, file)
  await pipeline(
    Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]),
    (await openPrivateFile(path)).createWriteStream(),
  )
  return answer(admin, { file: path }, [`  wrote ${path}`])
}

/** Names by id. Entries may refer to revoked tokens. */
type TokenNames = ReadonlyMap<string, string>

async function tokenNames({ client }: Admin): Promise<TokenNames> {
  const { items } = await client.ask('listTokens')
  return new Map(items.map(({ id, name }) => [id, name]))
}

function followAudit(admin: Admin, filter: AuditQuery, names: TokenNames): Promise<number> {
  if (!admin.client.isLive) {
    throw new GatewayError('NOT_RUNNING', {
      reason: 'only a running gateway has new entries',
      remedy: 'Start `tooldex serve`',
    })
  }
  return follow(
    admin,
    (signal) => admin.client.open('followAudit', { query: filter }, { signal }),
    (entry: AdminAuditEntry) => `  ${rowOf(entry, names).map(clean).join('  ')}`,
  )
}

function rowOf(entry: AdminAuditEntry, names: TokenNames): string[] {
  return [
    timeText(entry.at),
    orDash(names.get(entry.tokenId) ?? entry.tokenId),
    orDash(clientText(entry)),
    orDash(entry.projectId),
    entry.outcome,
    entry.durationMs.toFixed(1),
    whatText(entry),
  ]
}

const orDash = (text: string): string => (text === '' ? '–' : text)

const clientText = ({ clientName, clientVersion = '', transport }: AdminAuditEntry): string =>
  clientName === undefined ? (transport ?? '') : `${clientName} ${clientVersion}`.trim()

function filterOf(options: AuditOptions, names: TokenNames, now: number): AuditQuery {
  const { since, until, kind, token, project, endpoint, server, tool, request, outcome } = options
  return {
    ...(since !== undefined && { from: momentOf(since, now, '--since') }),
    ...(until !== undefined && { until: momentOf(until, now, '--until') }),
    ...(kind !== undefined && { kind }),
    ...(token !== undefined && { token: idOf(token, names) }),
    ...(project !== undefined && { project }),
    ...(endpoint !== undefined && { endpoint }),
    ...(server !== undefined && { server }),
    ...(tool !== undefined && { tool }),
    ...(request !== undefined && { request }),
    ...(outcome !== undefined && { outcome }),
  }
}

/** Resolves the name of a token to its id. A revoked token has no name, so its id is taken as it is. */
function idOf(given: string, names: TokenNames): string {
  const plain = given.trim().toLowerCase()
  return [...names].find(([, name]) => name.toLowerCase() === plain)?.[0] ?? given
}
