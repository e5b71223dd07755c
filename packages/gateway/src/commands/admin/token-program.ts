import type { Command } from 'commander'
import type { CommandContext, CommonOptions } from '../context.ts'
import { common, examples, type Registry } from '../program-parts.ts'
import type { TokenOptions } from './token.ts'

/** Adds `tooldex token …`. */
export function addTokenCommands(program: Command, { manage, done }: Registry, context: CommandContext): void {
  const load = () => import('./token.ts')
  const token = program.command('token').description('Manage tokens: who may connect, and to what')

  common(token.command('create'))
    .description('Make a token; its secret is shown once')
    .requiredOption('--name <name>', 'who or what uses it')
    .option('--project <id...>', 'projects that it may use; all without it')
    .option('--server <id...>', 'servers that it may use; all without it')
    .option('--read-only', 'only tools that are annotated as read-only')
    .option('--expires <date>', 'refused from this date on')
    .option('--admin', 'for the admin API instead of endpoints')
    .option('--print-only', 'store nothing; print the line for tooldex.json')
    .addHelpText(
      'after',
      examples(
        'tooldex token create --name laptop',
        'tooldex token create --name ci --project work --read-only --expires 2027-01-31',
        'tooldex token create --name laptop --print-only',
      ),
    )
    .action(async (options: CommonOptions & TokenOptions) => {
      if (options.printOnly !== true) {
        return manage(options, async (admin) => (await load()).createStoredToken(admin, options))
      }
      return done((await import('../token.ts')).printToken(options, context))
    })

  common(token.command('list'))
    .description('All tokens: scopes, expiry, last use; never a secret')
    .addHelpText('after', examples('tooldex token list', 'tooldex token list --json'))
    .action((options: CommonOptions) => manage(options, async (admin) => (await load()).listTokens(admin)))

  common(token.command('revoke'))
    .description('Refuse a token from now on; its streams end')
    .argument('<token>', 'its name or id')
    .addHelpText('after', examples('tooldex token revoke laptop'))
    .action((given: string, options: CommonOptions) =>
      manage(options, async (admin) => (await load()).revokeToken(admin, given)),
    )

  common(token.command('explain'))
    .description('Why a token can or cannot use a tool, step by step')
    .argument('<token>', 'its name or id')
    .argument('<tool>', 'server:tool')
    .option('--project <id>', 'only in this project')
    .addHelpText('after', `${examples('tooldex token explain laptop github:delete_repo')}\nExit code 1: it cannot.`)
    .action((given: string, tool: string, options: CommonOptions & { project?: string }) =>
      manage(options, async (admin) => (await load()).explainToken(admin, given, tool, options)),
    )
}
