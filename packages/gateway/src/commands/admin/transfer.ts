import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { isRecord } from '@tooldex/http-kit/json'
import type { Command } from 'commander'
import { readConfigText } from '../../config/config-text.ts'
import { type Substituted, substitute } from '../../config/substitute.ts'
import { GatewayError } from '../../errors.ts'
import { writePrivateText } from '../../private-files.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { table } from '../terminal/terminal.ts'
import { common, type CommonOptions, examples } from '../terminal/command-options.ts'
import { type Admin, answer, type Registry } from './admin.ts'

/** Adds `tooldex export` and `tooldex import`. */
export function addTransferCommands(program: Command, { manage }: Registry): void {
  common(program.command('export'))
    .description('Export servers, projects, endpoints, tokens (hashes) and settings')
    .argument('[file]', 'target file (default: standard output)')
    .option('--with-secrets', 'include the secrets: variables, headers, and those in arguments and URLs')
    .option('--stored-only', 'leave out entries of the configuration file')
    .addHelpText('after', examples('tooldex export backup.json', 'tooldex export --with-secrets move.json'))
    .action((file: string | undefined, options: CommonOptions & ExportOptions) =>
      manage(options, (admin) => exportAll(admin, file, options)),
    )

  common(program.command('import'))
    .description('Import an export, a tooldex.json or the mcpServers of another program, in one transaction')
    .argument('<file>', 'file to import; - reads standard input')
    .option('--dry-run', 'only show what would change')
    .addHelpText('after', examples('tooldex import backup.json --dry-run', 'tooldex import backup.json'))
    .action((file: string, options: CommonOptions & { dryRun?: boolean }) =>
      manage(options, (admin) => importAll(admin, file, options.dryRun === true)),
    )
}

/** Options of `tooldex export`. */
export interface ExportOptions {
  readonly withSecrets?: boolean
  readonly storedOnly?: boolean
}

/** `tooldex export`: the whole configuration, to a file that only its owner may read, or to standard output. */
async function exportAll(admin: Admin, file: string | undefined, options: ExportOptions): Promise<number> {
  const exported = await admin.client.ask('exportAll', {
    query: {
      ...(options.withSecrets === true && { secrets: 'true' }),
      ...(options.storedOnly === true && { scope: 'store' }),
    },
  })
  const text = `${JSON.stringify(exported, null, 2)}\n`
  if (file === undefined) {
    admin.context.terminal.out(text)
    return EXIT.ok
  }
  const path = resolve(admin.context.environment.cwd, file)
  await writePrivateText(path, text)
  const { mcpServers = {}, projects, endpoints, tokens } = exported.config
  const counts = {
    servers: Object.keys(mcpServers).length,
    projects: Object.keys(projects).length,
    endpoints: Object.keys(endpoints).length,
    tokens: tokens.length,
  }
  const counted = Object.entries(counts).map(([noun, count]) => `${count} ${noun}`)
  const secrets = exported.hasSecrets
    ? 'secrets included: keep it safe'
    : 'secrets are masked; --with-secrets includes them'
  return answer(admin, { file: path, ...counts, hasSecrets: exported.hasSecrets }, [
    `  wrote ${path}: ${counted.join(', ')}`,
    `  ${secrets}`,
  ])
}

/** `tooldex import`: an export, a `tooldex.json` or another program's `mcpServers`, in one transaction. */
async function importAll(admin: Admin, file: string, isDryRun: boolean): Promise<number> {
  const body = readDocument(await readInput(admin, file), file, admin.context.environment.variables)
  const plan = await admin.client.ask('importAll', { query: { dryRun: isDryRun ? 'true' : 'false' }, body })
  const rows = plan.entries.map(({ what, id, action, reason }) => [what, id, action, reason ?? ''])
  const problems = plan.problems.map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`)
  const closing = plan.isApplied ? 'done' : isDryRun ? 'nothing was changed: this was a dry run' : 'nothing was changed'
  answer(admin, plan, [
    ...table(['what', 'id', 'action', ''], rows, admin.context.terminal),
    ...problems,
    `  ${closing}`,
  ])
  return plan.isApplied || (isDryRun && plan.problems.length === 0) ? EXIT.ok : EXIT.usage
}

/** @throws GatewayError INVALID_ARGUMENTS */
function readDocument(
  text: string,
  file: string,
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, unknown> {
  const { value, problems } = readConfigText(text)
  const [first] = problems
  if (first !== undefined) throw new GatewayError('INVALID_ARGUMENTS', { reason: `${file} is ${first.message}` })
  const filled = exceptServers(value, (rest) => substitute(rest, { variables }))
  if (filled.problems.length > 0) {
    const missing = filled.problems.map(({ message }) => message)
    throw new GatewayError('INVALID_ARGUMENTS', { reason: `${file}: ${missing.join('; ')}` })
  }
  if (isRecord(filled.value)) return filled.value
  throw new GatewayError('INVALID_ARGUMENTS', { reason: `${file} must contain a JSON object` })
}

/** Servers keep their references, which the gateway resolves when it starts them; other entries are stored with values. */
function exceptServers(value: unknown, fill: (rest: unknown) => Substituted): Substituted {
  if (!isRecord(value)) return fill(value)
  const isExport = isRecord(value['config'])
  const source = isExport ? (value['config'] as Readonly<Record<string, unknown>>) : value
  const names = ['mcpServers', 'servers'].filter((name) => source[name] !== undefined)
  const servers = Object.fromEntries(names.map((name) => [name, source[name]]))
  const rest = Object.fromEntries(Object.entries(source).filter(([name]) => !names.includes(name)))
  const filled = fill(isExport ? { ...value, config: rest } : rest)
  const whole = filled.value as Readonly<Record<string, unknown>>
  const config = whole['config'] as Readonly<Record<string, unknown>>
  return { ...filled, value: isExport ? { ...whole, config: { ...config, ...servers } } : { ...whole, ...servers } }
}

/** A file, or `-` for standard input. @throws GatewayError INVALID_ARGUMENTS */
export async function readInput({ context }: Pick<Admin, 'context'>, file: string): Promise<string> {
  if (file === '-') return readAll(context.streams.input)
  try {
    return await readFile(resolve(context.environment.cwd, file), 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new GatewayError('INVALID_ARGUMENTS', { reason: `${file} cannot be read (${code})` }, { cause: error })
  }
}
