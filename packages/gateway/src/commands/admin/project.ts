import type { AdminProject, ProjectPatch } from '@tooldex/contract/admin'
import { type Command, Option } from 'commander'
import { GatewayError } from '../../errors.ts'
import { type CommonOptions, collect, common, examples } from '../terminal/command-options.ts'
import { disclosure, disclosureOf, type DisclosureOptions, settingFacts } from './disclosure-options.ts'
import { type Registry, type Admin, answer, answerRemoval, listed } from './admin.ts'
import { facts, table } from '../terminal/terminal.ts'

/** Adds `tooldex project …`. */
export function addProjectCommands(program: Command, { manage }: Registry): void {
  const project = program.command('project').description('Manage projects: servers, tools, exposure')

  common(project.command('list'))
    .description('List projects')
    .addHelpText('after', examples('tooldex project list', 'tooldex project list --json'))
    .action((options: CommonOptions) => manage(options, (admin) => listProjects(admin)))

  settings(common(project.command('add')))
    .description('Add a project')
    .argument('<id>', 'id of the project')
    .addHelpText(
      'after',
      examples(
        'tooldex project add support --server issues mail',
        'tooldex project add research --name "Research" --server papers --exposure meta-tools --strategy bm25',
      ),
    )
    .action((id: string, options: CommonOptions & ProjectOptions) =>
      manage(options, (admin) => addProject(admin, id, options)),
    )

  common(project.command('show'))
    .description('Show one project: servers, settings with their origin, tool settings')
    .argument('<id>', 'id of the project')
    .addHelpText('after', examples('tooldex project show support'))
    .action((id: string, options: CommonOptions) => manage(options, (admin) => showProject(admin, id)))

  settings(common(project.command('set')))
    .description('Change a project')
    .argument('<id>', 'id of the project')
    .option('--unset <key>', 'reset to the default; repeatable', collect)
    .addHelpText(
      'after',
      examples(
        'tooldex project set support --exposure limited --max-tools 20',
        'tooldex project set support --strategy off',
        'tooldex project set support --unset exposure',
      ),
    )
    .action((id: string, options: CommonOptions & ProjectOptions) =>
      manage(options, (admin) => setProject(admin, id, options)),
    )

  common(project.command('servers'))
    .description('Show or change the servers of a project, in order of priority')
    .argument('<id>', 'id of the project')
    .argument('[servers...]', 'the complete new list')
    .option('--add <id>', 'add a server; repeatable', collect)
    .option('--remove <id>', 'remove a server; repeatable', collect)
    .addHelpText(
      'after',
      examples('tooldex project servers support issues mail', 'tooldex project servers support --add files'),
    )
    .action((id: string, servers: string[], options: CommonOptions & ProjectServersOptions) =>
      manage(options, (admin) => setProjectServers(admin, id, servers, options)),
    )

  common(project.command('tool'))
    .description('Change the settings of one tool in a project')
    .argument('<project>', 'id of the project')
    .argument('<tool>', 'server:tool')
    .option('--deny', 'hide the tool and reject calls')
    .option('--allow', 'remove the denial; with an allow-list, add the tool to it')
    .option('--pin', 'always list the tool')
    .option('--no-pin', 'do not pin the tool')
    .option('--defer', 'mark the tool as deferred')
    .option('--no-defer', 'do not mark the tool as deferred')
    .option('--describe <text>', 'replace the server’s description for clients of the project')
    .option('--rename <name>', 'the name under which clients of the project call it')
    .option('--reset', 'remove all settings of the tool')
    .addHelpText(
      'after',
      examples(
        'tooldex project tool work github:delete_repo --deny',
        'tooldex project tool work github:search --pin',
        'tooldex project tool work github:search --rename find_code',
      ),
    )
    .action((id: string, tool: string, options: CommonOptions & ProjectToolOptions) =>
      manage(options, (admin) => setProjectTool(admin, id, tool, options)),
    )

  common(project.command('remove'))
    .description('Remove a project with its endpoints, also from tokens')
    .argument('<id>', 'id of the project')
    .addHelpText('after', examples('tooldex project remove support'))
    .action((id: string, options: CommonOptions) => manage(options, (admin) => removeProject(admin, id)))
}

function settings(command: Command): Command {
  return disclosure(
    command
      .option('--name <name>', 'display name')
      .option('--server <id...>', 'servers of the project')
      .addOption(new Option('--allow <which>', 'only = an allow-list of tools').choices(['all', 'only']))
      .addOption(new Option('--trust <mode>', 'changes of its servers').choices(['standard', 'strict', 'off'])),
  )
}

/** Options of `project add` and `project set`. */
interface ProjectOptions extends DisclosureOptions {
  readonly name?: string
  readonly server?: readonly string[]
  readonly allow?: 'all' | 'only'
  readonly trust?: 'standard' | 'strict' | 'off'
  readonly unset?: readonly string[]
}

/** Options of `project servers`. */
interface ProjectServersOptions {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}

/** Options of `project tool`. */
interface ProjectToolOptions {
  readonly allow?: boolean
  readonly deny?: boolean
  readonly pin?: boolean
  readonly defer?: boolean
  readonly describe?: string
  readonly rename?: string
  readonly reset?: boolean
}

/** `tooldex project list` */
async function listProjects(admin: Admin): Promise<number> {
  const { items } = await admin.client.ask('listProjects')
  const rows = items.map((project) => [
    project.id,
    project.name,
    `${project.tools.eligible} of ${project.tools.all}`,
    project.settings.exposure.value ?? 'auto',
    project.optimization ?? 'off',
    project.managedBy,
    listed(project.servers),
  ])
  const head = ['project', 'name', 'tools', 'exposure', 'search', 'managed by', 'servers']
  return answer(admin, { projects: items }, table(head, rows, admin.context.terminal))
}

/** `tooldex project show` */
async function showProject(admin: Admin, id: string): Promise<number> {
  const project = await admin.client.ask('getProject', { params: { project: id } })
  const tools = Object.entries(project.config.tools ?? {}).map(([key, own]) => [key, JSON.stringify(own)] as const)
  const lines = facts(
    [
      ['project', project.id],
      ['name', project.name],
      ['servers', listed(project.servers)],
      ['missing', project.missingServers.length === 0 ? undefined : listed(project.missingServers)],
      ['endpoints', listed(project.endpoints)],
      ['tools', `${project.tools.eligible} of ${project.tools.all} available`],
      ...settingFacts(project.settings),
      ...tools,
      ['managed by', project.file ?? project.managedBy],
    ],
    admin.context.terminal,
  )
  return answer(admin, project, lines)
}

/** `tooldex project add` */
async function addProject(admin: Admin, id: string, options: ProjectOptions): Promise<number> {
  const { name, server = [], allow, trust } = options
  const body = {
    id,
    ...(name !== undefined && { name }),
    servers: [...server],
    ...(allow !== undefined && { allow }),
    ...(trust !== undefined && { trust }),
    ...disclosureOf(options),
  }
  const before = await defaultServers(admin)
  const project = await admin.client.ask('createProject', { body })
  const after = new Set(await defaultServers(admin))
  const left = before.filter((server) => !after.has(server))
  return answer(admin, project, [
    `  added the project ${project.id}: ${listed(project.servers)}`,
    ...(left.length === 0 ? [] : [`  no longer in the project default: ${listed(left)}`]),
    `  serve it: tooldex endpoint add ${project.id} --project ${project.id}`,
  ])
}

/** The servers of the project `default`: those that no other project names, unless it has a list of its own. */
async function defaultServers({ client }: Admin): Promise<readonly string[]> {
  const { items } = await client.ask('listProjects')
  return items.find(({ id }) => id === 'default')?.servers ?? []
}

/** `tooldex project set` */
async function setProject(admin: Admin, id: string, options: ProjectOptions): Promise<number> {
  const { name, server, allow, trust, unset } = options
  const body = {
    ...(name !== undefined && { name }),
    ...(server !== undefined && { servers: [...server] }),
    ...(allow !== undefined && { allow }),
    ...(trust !== undefined && { trust }),
    ...disclosureOf(options),
    ...(unset !== undefined && { unset: [...unset] }),
  }
  return change(admin, id, body as ProjectPatch)
}

/** `tooldex project servers`: replaces, adds or removes servers. */
async function setProjectServers(
  admin: Admin,
  id: string,
  servers: readonly string[],
  { add = [], remove = [] }: ProjectServersOptions,
): Promise<number> {
  if (servers.length === 0 && add.length === 0 && remove.length === 0) return showProject(admin, id)
  const { servers: own } = await admin.client.ask('getProject', { params: { project: id } })
  const unknown = remove.filter((each) => !own.includes(each))
  if (unknown.length > 0) {
    throw new GatewayError('INVALID_ARGUMENTS', { reason: `the project ${id} has no ${unknown.join(', ')}` })
  }
  const base = servers.length > 0 ? servers : own
  return change(admin, id, { servers: [...new Set([...base, ...add])].filter((each) => !remove.includes(each)) })
}

/** `tooldex project tool` */
async function setProjectTool(
  admin: Admin,
  project: string,
  tool: string,
  options: ProjectToolOptions,
): Promise<number> {
  const { allow, deny, pin, defer, describe, rename, reset } = options
  if (allow === true && deny === true) {
    throw new GatewayError('INVALID_ARGUMENTS', { reason: '--allow and --deny exclude each other' })
  }
  const body = {
    ...(allow === true && { allowed: true }),
    ...(deny === true && { allowed: false }),
    ...(pin !== undefined && { pinned: pin }),
    ...(defer !== undefined && { deferLoading: defer }),
    ...(describe !== undefined && { description: describe }),
    ...(rename !== undefined && { name: rename }),
    ...(reset === true && { unset: ['allowed', 'pinned', 'deferLoading', 'description', 'name'] }),
  }
  if (Object.keys(body).length === 0) {
    throw new GatewayError('INVALID_ARGUMENTS', {
      reason: 'nothing to change',
      remedy:
        'Use --deny, --allow, --pin, --no-pin, --defer, --no-defer, --describe <text>, --rename <name> or --reset',
    })
  }
  const changed = await admin.client.ask('changeProjectTool', { params: { project, tool }, body })
  const there = changed.projects.find((each) => each.project === project)
  const state = there?.eligible === true ? 'is available' : 'is not available'
  return answer(admin, changed, [`  ${tool} ${state} in the project ${project}`])
}

/** `tooldex project remove` */
async function removeProject(admin: Admin, id: string): Promise<number> {
  return answerRemoval(admin, 'project', await admin.client.ask('removeProject', { params: { project: id } }))
}

async function change(admin: Admin, id: string, body: ProjectPatch): Promise<number> {
  const project: AdminProject = await admin.client.ask('changeProject', { params: { project: id }, body })
  return answer(admin, project, [`  changed the project ${project.id}: ${listed(project.servers)}`])
}
