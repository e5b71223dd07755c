import { type Command, Option } from 'commander'
import type { CommonOptions } from '../context.ts'
import { collect, common, disclosure, examples, type Registry } from '../program-parts.ts'
import type { EndpointOptions } from './endpoint.ts'

/** Adds `tooldex endpoint …`. */
export function addEndpointCommands(program: Command, { manage }: Registry): void {
  const load = () => import('./endpoint.ts')
  const endpoint = program.command('endpoint').description('Manage endpoints: addresses that serve a project')

  common(endpoint.command('list'))
    .description('All endpoints')
    .addHelpText('after', examples('tooldex endpoint list', 'tooldex endpoint list --json'))
    .action((options: CommonOptions) => manage(options, async (admin) => (await load()).listEndpoints(admin)))

  settings(common(endpoint.command('add')))
    .description('Serve a project at /<id>/mcp')
    .argument('<id>', 'part of its address')
    .addHelpText(
      'after',
      examples('tooldex endpoint add support --project support', 'tooldex endpoint add full --exposure full'),
    )
    .action((id: string, options: CommonOptions & EndpointOptions) =>
      manage(options, async (admin) => (await load()).addEndpoint(admin, id, options)),
    )

  common(endpoint.command('show'))
    .description('One endpoint: project, access, settings with their origin')
    .argument('<id>', 'its id')
    .addHelpText('after', examples('tooldex endpoint show support'))
    .action((id: string, options: CommonOptions) =>
      manage(options, async (admin) => (await load()).showEndpoint(admin, id)),
    )

  settings(common(endpoint.command('set')))
    .description('Change an endpoint; what is unset is the project’s')
    .argument('<id>', 'its id')
    .option('--unset <key>', 'inherit it from the project; can be given several times', collect)
    .addHelpText(
      'after',
      examples('tooldex endpoint set support --exposure full', 'tooldex endpoint set support --unset exposure'),
    )
    .action((id: string, options: CommonOptions & EndpointOptions) =>
      manage(options, async (admin) => (await load()).setEndpoint(admin, id, options)),
    )

  common(endpoint.command('remove'))
    .description('Remove it; clients that use it get 404')
    .argument('<id>', 'its id')
    .addHelpText('after', examples('tooldex endpoint remove support'))
    .action((id: string, options: CommonOptions) =>
      manage(options, async (admin) => (await load()).removeEndpoint(admin, id)),
    )
}

function settings(command: Command): Command {
  return disclosure(
    command
      .option('--project <id>', 'the project that it serves; default without it')
      .addOption(new Option('--auth <how>', 'none: open to this machine').choices(['token', 'none']))
      .option('--transparent', 'one server, its own names, nothing in between')
      .option('--no-transparent', 'not any more'),
  )
}
