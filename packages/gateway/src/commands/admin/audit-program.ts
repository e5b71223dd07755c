import { type Command, Option } from 'commander'
import type { CommonOptions } from '../context.ts'
import { common, examples, type Registry, wholeNumber } from '../program-parts.ts'
import type { AuditOptions } from './audit.ts'
import type { ExportOptions } from './transfer.ts'

/** Adds `tooldex audit …`. */
export function addAuditCommands(program: Command, { manage }: Registry): void {
  const load = () => import('./audit.ts')
  const audit = filters(common(program.command('audit')))
    .description('Who searched and called what; never arguments or results')
    .option('--max <number>', 'how many of the latest; 50 without it', wholeNumber(1, 500))
    .option('--follow', 'those to come, until Ctrl-C')
    .addHelpText(
      'after',
      examples(
        'tooldex audit --since 1h --outcome error',
        'tooldex audit --tool github:delete_repo --since 7d',
        'tooldex audit --follow',
      ),
    )
    .action((options: CommonOptions & AuditOptions) =>
      manage(options, async (admin) => (await load()).showAudit(admin, options)),
    )

  filters(common(audit.command('export')))
    .description('Every entry that fits, oldest first')
    .argument('[file]', 'where to; standard output without it')
    .option('--csv', 'as a table')
    .addOption(new Option('--jsonl', 'one JSON document a line, as without it').conflicts('csv'))
    .addHelpText(
      'after',
      examples('tooldex audit export --since 30d audit.jsonl', 'tooldex audit export --csv --token laptop > audit.csv'),
    )
    .action((file: string | undefined, _: unknown, command: Command) => {
      // `audit` has options of the same names and would keep what stands after `export`.
      const options: CommonOptions & AuditOptions & { csv?: boolean } = command.optsWithGlobals()
      return manage(options, async (admin) => (await load()).exportAudit(admin, file, options))
    })
}

/** Adds `tooldex export` and `tooldex import`. */
export function addTransferCommands(program: Command, { manage }: Registry): void {
  const load = () => import('./transfer.ts')
  common(program.command('export'))
    .description('Write everything that was decided: servers, projects, endpoints, tokens (hashes), settings')
    .argument('[file]', 'where to; standard output without it')
    .option('--with-secrets', 'with the values of environment variables and headers')
    .option('--stored-only', 'without what the file declares')
    .addHelpText('after', examples('tooldex export backup.json', 'tooldex export --with-secrets move.json'))
    .action((file: string | undefined, options: CommonOptions & ExportOptions) =>
      manage(options, async (admin) => (await load()).exportAll(admin, file, options)),
    )

  common(program.command('import'))
    .description('Take over an export, a tooldex.json or another program’s mcpServers: all or nothing')
    .argument('<file>', 'what to read; - reads standard input')
    .option('--dry-run', 'only say what would change')
    .addHelpText('after', examples('tooldex import backup.json --dry-run', 'tooldex import backup.json'))
    .action((file: string, options: CommonOptions & { dryRun?: boolean }) =>
      manage(options, async (admin) => (await load()).importAll(admin, file, options.dryRun === true)),
    )
}

function filters(command: Command): Command {
  return command
    .option('--since <when>', '15m, 1h, 7d ago, or a date')
    .option('--until <when>', 'the same')
    .addOption(new Option('--kind <kind>', 'searches or calls').choices(['search', 'call']))
    .option('--token <name>', 'of this token')
    .option('--project <id>', 'of this project')
    .option('--endpoint <id>', 'through this endpoint')
    .option('--server <id>', 'calls of this server')
    .option('--tool <key>', 'calls of this tool, server:tool')
    .option('--request <id>', 'of this request')
    .option('--outcome <outcome>', 'ok, error, or a code')
}
