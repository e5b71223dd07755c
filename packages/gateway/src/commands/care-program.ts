import { Argument, type Command } from 'commander'
import type { CommandContext, CommonOptions } from './context.ts'
import { common, examples, type Registry } from './program-parts.ts'

/** Adds `doctor`, `secrets` and `completion`: what keeps a gateway, and whoever runs it, well. */
export function addCareCommands(program: Command, { manage, done }: Registry, context: CommandContext): void {
  common(program.command('doctor'))
    .description('Say what is wrong with this installation and how to mend it')
    .addHelpText('after', `${examples('tooldex doctor', 'tooldex doctor --json')}\nExit code 1: something is wrong.`)
    .action(async (options: CommonOptions) => done(await (await import('./doctor/doctor.ts')).doctor(options, context)))

  const secrets = program.command('secrets').description('Manage the key that stored secrets are encrypted with')
  common(secrets.command('rotate'))
    .description('Make a new key and encrypt all stored secrets anew')
    .addHelpText(
      'after',
      `${examples('tooldex secrets rotate')}
Old keys stay in the key file: backups need them. With TOOLDEX_SECRET_KEY, put the new key first: TOOLDEX_SECRET_KEY=new,old`,
    )
    .action(async (options: CommonOptions) =>
      done(await (await import('./secrets.ts')).rotateSecrets(options, context)),
    )

  program
    .command('completion')
    .description('Print the completion of this program for a shell')
    .addArgument(new Argument('<shell>', 'which').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      examples(
        'tooldex completion bash > /etc/bash_completion.d/tooldex',
        'tooldex completion zsh > ~/.zfunc/_tooldex',
        'tooldex completion fish > ~/.config/fish/completions/tooldex.fish',
      ),
    )
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      const { completion } = await import('./completion.ts')
      context.terminal.out(completion(program, shell))
    })

  common(program.command('ids', { hidden: true }))
    .description('The ids of servers, projects, endpoints or tokens, one a line: what completion asks')
    .addArgument(new Argument('<noun>', 'of what').choices(['server', 'project', 'endpoint', 'token']))
    .action((noun: 'server' | 'project' | 'endpoint' | 'token', options: CommonOptions) =>
      manage(options, async (admin) => (await import('./admin/ids.ts')).showIds(admin, noun)),
    )
}
