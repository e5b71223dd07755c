import type { Command } from 'commander'
import type { CommonOptions } from '../context.ts'
import { collect, common, disclosure, examples, type Registry } from '../program-parts.ts'
import type { ProjectOptions, ProjectServersOptions, ProjectToolOptions } from './project.ts'

/** Adds `tooldex project …`. */
export function addProjectCommands(program: Command, { manage }: Registry): void {
  const load = () => import('./project.ts')
  const project = program.command('project').description('Manage projects: which servers, which tools, how disclosed')

  common(project.command('list'))
    .description('All projects')
    .addHelpText('after', examples('tooldex project list', 'tooldex project list --json'))
    .action((options: CommonOptions) => manage(options, async (admin) => (await load()).listProjects(admin)))

  settings(common(project.command('add')))
    .description('Add a project')
    .argument('<id>', 'its id')
    .addHelpText(
      'after',
      examples(
        'tooldex project add support --server issues mail',
        'tooldex project add research --name "Research" --server papers --exposure meta-tools --strategy bm25',
      ),
    )
    .action((id: string, options: CommonOptions & ProjectOptions) =>
      manage(options, async (admin) => (await load()).addProject(admin, id, options)),
    )

  common(project.command('show'))
    .description('One project: servers, settings with their origin, what it says of tools')
    .argument('<id>', 'its id')
    .addHelpText('after', examples('tooldex project show support'))
    .action((id: string, options: CommonOptions) =>
      manage(options, async (admin) => (await load()).showProject(admin, id)),
    )

  settings(common(project.command('set')))
    .description('Change a project')
    .argument('<id>', 'its id')
    .option('--unset <key>', 'have the default again; can be given several times', collect)
    .addHelpText(
      'after',
      examples(
        'tooldex project set support --exposure limited --max-tools 20',
        'tooldex project set support --strategy off',
        'tooldex project set support --unset exposure',
      ),
    )
    .action((id: string, options: CommonOptions & ProjectOptions) =>
      manage(options, async (admin) => (await load()).setProject(admin, id, options)),
    )

  common(project.command('servers'))
    .description('Which servers it has, in order of priority')
    .argument('<id>', 'its id')
    .argument('[servers...]', 'all of them anew')
    .option('--add <id>', 'one more; can be given several times', collect)
    .option('--remove <id>', 'one fewer; can be given several times', collect)
    .addHelpText(
      'after',
      examples('tooldex project servers support issues mail', 'tooldex project servers support --add files'),
    )
    .action((id: string, servers: string[], options: CommonOptions & ProjectServersOptions) =>
      manage(options, async (admin) => (await load()).setProjectServers(admin, id, servers, options)),
    )

  common(project.command('tool'))
    .description('What a project says of one tool')
    .argument('<project>', 'its id')
    .argument('<tool>', 'server:tool')
    .option('--deny', 'in no list, no search, and not to be called')
    .option('--allow', 'as before')
    .option('--pin', 'listed whatever the exposure')
    .option('--no-pin', 'not any more')
    .option('--defer', 'marked as deferred')
    .option('--no-defer', 'not marked as deferred')
    .option('--describe <text>', 'what clients of the project read instead of the server’s words')
    .option('--reset', 'say nothing of it')
    .addHelpText(
      'after',
      examples('tooldex project tool work github:delete_repo --deny', 'tooldex project tool work github:search --pin'),
    )
    .action((id: string, tool: string, options: CommonOptions & ProjectToolOptions) =>
      manage(options, async (admin) => (await load()).setProjectTool(admin, id, tool, options)),
    )

  common(project.command('remove'))
    .description('Remove it with its endpoints; tokens lose it')
    .argument('<id>', 'its id')
    .addHelpText('after', examples('tooldex project remove support'))
    .action((id: string, options: CommonOptions) =>
      manage(options, async (admin) => (await load()).removeProject(admin, id)),
    )
}

function settings(command: Command): Command {
  return disclosure(
    command.option('--name <name>', 'what people call it').option('--server <id...>', 'the servers that it has'),
  )
}
