import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { AdminLearnedUse } from '@tooldex/contract/admin'
import type { Command } from 'commander'
import { GatewayError } from '../../errors.ts'
import { writePrivateText } from '../../private-files.ts'
import { type CommonOptions, common, examples, wholeNumber } from '../terminal/command-options.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { clean, table, truncate } from '../terminal/terminal.ts'
import { type Admin, answer, type Registry } from './admin.ts'

interface LearnedOptions extends CommonOptions {
  readonly project: string
  readonly query?: string
  readonly tool?: string
  readonly token?: string
}

const LONGEST_QUERY = 60
/** The most that a project keeps. */
const ALL = '5000'

/** Adds `tooldex learned …`. */
export function addLearnedCommands(program: Command, { manage }: Registry): void {
  const learned = program.command('learned').description('Show and forget what searches learnt from use')

  conditions(of(learned.command('list')))
    .description('List the tools that were called after queries, latest first')
    .option('--limit <number>', 'number of lines', wholeNumber(1, 5_000), 50)
    .addHelpText(
      'after',
      examples('tooldex learned list', 'tooldex learned list --project work --tool github:create_issue'),
    )
    .action((options: LearnedOptions & { limit: number }) => manage(options, (admin) => list(admin, options)))

  conditions(of(learned.command('forget')))
    .description('Forget what matches every condition, at all gateways of the database')
    .option('--all', 'forget everything that the project learnt')
    .addHelpText('after', examples('tooldex learned forget --query "open a ticket"', 'tooldex learned forget --all'))
    .action((options: LearnedOptions & { all?: boolean }) => manage(options, (admin) => forget(admin, options)))

  of(learned.command('export'))
    .description('Write what a project learnt to a file')
    .argument('[file]', 'target file (default: standard output)')
    .addHelpText('after', examples('tooldex learned export learned.json'))
    .action((file: string | undefined, options: LearnedOptions) =>
      manage(options, (admin) => exportUses(admin, file, options)),
    )

  of(learned.command('import'))
    .description('Store the uses of such a file; the same ones are replaced')
    .argument('<file>', 'file of `learned export`')
    .addHelpText('after', examples('tooldex learned import learned.json --project work'))
    .action((file: string, options: LearnedOptions) => manage(options, (admin) => importUses(admin, file, options)))
}

function of(command: Command): Command {
  return common(command).option('--project <id>', 'project that learnt it', 'default')
}

function conditions(command: Command): Command {
  return command
    .option('--query <text>', 'the query (list: a part of it)')
    .option('--tool <key>', 'the tool key')
    .option('--token <id>', 'the id of the token that taught it')
}

const params = ({ project }: LearnedOptions) => ({ project })

function conditionOf({ query, tool, token }: LearnedOptions) {
  return {
    ...(query !== undefined && { query }),
    ...(tool !== undefined && { tool }),
    ...(token !== undefined && { token }),
  }
}

/** `tooldex learned list` */
async function list(admin: Admin, options: LearnedOptions & { readonly limit: number }): Promise<number> {
  const query = { ...conditionOf(options), limit: String(options.limit) }
  const learnt = await admin.client.ask('listLearned', { params: params(options), query })
  const rows = learnt.items.map((use) => [
    truncate(clean(use.query), LONGEST_QUERY),
    use.isGone === true ? `${use.toolKey} (gone)` : use.toolKey,
    use.tokenName ?? use.tokenId,
    use.weight.toFixed(2),
    new Date(use.at).toISOString().slice(0, 10),
  ])
  const head = ['query', 'tool', 'taught by', 'weight', 'last used']
  const rest = learnt.total - rows.length
  return answer(admin, learnt, [
    ...(rows.length === 0 ? ['  nothing was learnt yet'] : table(head, rows, admin.context.terminal)),
    ...(rest > 0 ? [`  and ${rest} more; --limit shows more`] : []),
    ...(learnt.state === 'on'
      ? []
      : [`  learning is off ${learnt.state === 'off' ? 'in this project' : 'in this gateway'}`]),
  ])
}

/** `tooldex learned forget` */
async function forget(admin: Admin, options: LearnedOptions & { readonly all?: boolean }): Promise<number> {
  const query = conditionOf(options)
  if (Object.keys(query).length === 0 && options.all !== true) {
    throw new GatewayError('INVALID_ARGUMENTS', {
      reason: 'name what to forget with --query, --tool or --token, or --all',
    })
  }
  const done = await admin.client.ask('forgetLearned', { params: params(options), query })
  return answer(admin, done, [`  forgot ${usesOf(done.forgotten)}`])
}

/** `tooldex learned export` */
async function exportUses(admin: Admin, file: string | undefined, options: LearnedOptions): Promise<number> {
  const { items } = await admin.client.ask('listLearned', { params: params(options), query: { limit: ALL } })
  const bare = items.map(({ query, toolKey, tokenId, weight, at }) => ({ query, toolKey, tokenId, weight, at }))
  const text = `${JSON.stringify({ items: bare }, null, 2)}\n`
  if (file === undefined) {
    admin.context.terminal.out(text)
    return EXIT.ok
  }
  const path = resolve(admin.context.environment.cwd, file)
  await writePrivateText(path, text)
  return answer(admin, { file: path, uses: bare.length }, [`  wrote ${path}: ${usesOf(bare.length)}`])
}

/** `tooldex learned import` */
async function importUses(admin: Admin, file: string, options: LearnedOptions): Promise<number> {
  const path = resolve(admin.context.environment.cwd, file)
  // The API checks the shape and reports every problem with its place.
  const body = parsed(await readFile(path, 'utf8'), file) as { items: AdminLearnedUse[] }
  const done = await admin.client.ask('importLearned', { params: params(options), body })
  return answer(admin, done, [`  stored ${usesOf(done.stored)}`])
}

const usesOf = (count: number): string => `${count} ${count === 1 ? 'use' : 'uses'}`

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new GatewayError('INVALID_ARGUMENTS', { reason: `${file} is not valid JSON` }, { cause })
  }
}
