import type { EndpointPatch } from '@tooldex/contract/admin'
import { type Command, Option } from 'commander'
import { type CommonOptions, collect, common, examples } from '../terminal/command-options.ts'
import { disclosure, disclosureOf, type DisclosureOptions, settingFacts } from './disclosure-options.ts'
import { type Registry, type Admin, answer, answerRemoval } from './admin.ts'
import { facts, table } from '../terminal/terminal.ts'

/** Adds `tooldex endpoint …`. */
export function addEndpointCommands(program: Command, { manage }: Registry): void {
  const endpoint = program.command('endpoint').description('Manage endpoints: URLs that serve a project')

  common(endpoint.command('list'))
    .description('List endpoints')
    .addHelpText('after', examples('tooldex endpoint list', 'tooldex endpoint list --json'))
    .action((options: CommonOptions) => manage(options, (admin) => listEndpoints(admin)))

  settings(common(endpoint.command('add')))
    .description('Serve a project at /<id>/mcp')
    .argument('<id>', 'id of the endpoint; part of its URL')
    .addHelpText(
      'after',
      examples('tooldex endpoint add support --project support', 'tooldex endpoint add full --exposure full'),
    )
    .action((id: string, options: CommonOptions & EndpointOptions) =>
      manage(options, (admin) => addEndpoint(admin, id, options)),
    )

  common(endpoint.command('show'))
    .description('Show one endpoint: project, access, settings with their origin')
    .argument('<id>', 'id of the endpoint')
    .addHelpText('after', examples('tooldex endpoint show support'))
    .action((id: string, options: CommonOptions) => manage(options, (admin) => showEndpoint(admin, id)))

  settings(common(endpoint.command('set')))
    .description('Change an endpoint; unset settings come from the project')
    .argument('<id>', 'id of the endpoint')
    .option('--unset <key>', 'inherit the setting from the project; repeatable', collect)
    .addHelpText(
      'after',
      examples('tooldex endpoint set support --exposure full', 'tooldex endpoint set support --unset exposure'),
    )
    .action((id: string, options: CommonOptions & EndpointOptions) =>
      manage(options, (admin) => setEndpoint(admin, id, options)),
    )

  common(endpoint.command('remove'))
    .description('Remove an endpoint; its clients get 404')
    .argument('<id>', 'id of the endpoint')
    .addHelpText('after', examples('tooldex endpoint remove support'))
    .action((id: string, options: CommonOptions) => manage(options, (admin) => removeEndpoint(admin, id)))
}

function settings(command: Command): Command {
  return disclosure(
    command
      .option('--project <id>', 'project to serve (default: default)')
      .addOption(
        new Option('--auth <how>', 'none allows clients of this machine without a token').choices(['token', 'none']),
      )
      .option('--transparent', 'pass one server through unchanged')
      .option('--no-transparent', 'turn --transparent off'),
  )
}

/** Options of `endpoint add` and `endpoint set`. */
interface EndpointOptions extends DisclosureOptions {
  readonly project?: string
  readonly auth?: 'token' | 'none'
  readonly transparent?: boolean
  readonly unset?: readonly string[]
}

/** `tooldex endpoint list` */
async function listEndpoints(admin: Admin): Promise<number> {
  const { items } = await admin.client.ask('listEndpoints')
  const rows = items.map(({ id, path, project, isServed, auth, settings, managedBy }) => [
    id,
    path,
    isServed ? project : `${project} (missing)`,
    settings.exposure.value ?? 'auto',
    auth === 'none' ? 'open to this machine' : 'token',
    managedBy,
  ])
  const head = ['endpoint', 'path', 'project', 'exposure', 'access', 'managed by']
  return answer(admin, { endpoints: items }, table(head, rows, admin.context.terminal))
}

/** `tooldex endpoint show` */
async function showEndpoint(admin: Admin, id: string): Promise<number> {
  const endpoint = await admin.client.ask('getEndpoint', { params: { endpoint: id } })
  const lines = facts(
    [
      ['endpoint', endpoint.id],
      ['path', endpoint.path],
      ['project', endpoint.isServed ? endpoint.project : `${endpoint.project} (missing: the endpoint serves nothing)`],
      ['access', endpoint.auth],
      ['transparent', String(endpoint.transparent)],
      ...settingFacts(endpoint.settings),
      ['managed by', endpoint.file ?? endpoint.managedBy],
    ],
    admin.context.terminal,
  )
  return answer(admin, endpoint, lines)
}

/** `tooldex endpoint add` */
async function addEndpoint(admin: Admin, id: string, options: EndpointOptions): Promise<number> {
  const endpoint = await admin.client.ask('createEndpoint', { body: { id, ...settingsOf(options) } })
  return answer(admin, endpoint, [
    `  added the endpoint ${endpoint.id}: the project ${endpoint.project} at ${endpoint.path}`,
    `  connect a client: tooldex connect --endpoint ${endpoint.id}`,
  ])
}

/** `tooldex endpoint set` */
async function setEndpoint(admin: Admin, id: string, options: EndpointOptions): Promise<number> {
  const unset = options.unset === undefined ? {} : { unset: [...options.unset] }
  const body = { ...settingsOf(options), ...unset } as EndpointPatch
  const endpoint = await admin.client.ask('changeEndpoint', { params: { endpoint: id }, body })
  return answer(admin, endpoint, [`  changed the endpoint ${endpoint.id}`])
}

/** `tooldex endpoint remove` */
async function removeEndpoint(admin: Admin, id: string): Promise<number> {
  return answerRemoval(admin, 'endpoint', await admin.client.ask('removeEndpoint', { params: { endpoint: id } }))
}

function settingsOf(options: EndpointOptions) {
  const { project, auth, transparent } = options
  return {
    ...(project !== undefined && { project }),
    ...(auth !== undefined && { auth }),
    ...(transparent !== undefined && { transparent }),
    ...disclosureOf(options),
  }
}
