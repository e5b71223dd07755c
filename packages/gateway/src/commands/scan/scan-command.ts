import type { Command } from 'commander'
import type { Registry } from '../admin/admin.ts'
import type { CommandContext } from '../gateway/context.ts'
import { common, examples } from '../terminal/command-options.ts'
import type { ScanCommandOptions } from './scan.ts'

/** Adds `tooldex scan`. */
export function addScanCommand(program: Command, { done }: Registry, context: CommandContext): void {
  common(program.command('scan'))
    .description('Look for hostile texts in what servers offer, or in files')
    .argument(
      '[files...]',
      'lists of tools, lines with a tool each, or configurations whose servers are started and asked',
    )
    .option('--server <id>', 'only this server of the gateway')
    .option('--sarif', 'print SARIF 2.1.0')
    .addHelpText(
      'after',
      `${examples('tooldex scan', 'tooldex scan --server github --json', 'tooldex scan tools.json --sarif > findings.sarif')}
Exit code 1: something should be held or blocked. The scan works offline and changes nothing.`,
    )
    .action(async (files: string[], options: ScanCommandOptions) =>
      done(await (await import('./scan.ts')).scan(files, options, context)),
    )
}
