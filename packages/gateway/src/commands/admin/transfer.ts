import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { GatewayError } from '../../errors.ts'
import { readConfigText } from '../../config/config-text.ts'
import { substitute } from '../../config/substitute.ts'
import { EXIT } from '../exit-codes.ts'
import { table } from '../table.ts'
import { type Admin, answer } from './admin.ts'
import { readGiven } from './server-import.ts'

/** What `tooldex export` takes. */
export interface ExportOptions {
  readonly withSecrets?: boolean
  readonly storedOnly?: boolean
}

/** `tooldex export`: everything that was decided, to a file that only its owner may read, or to standard output. */
export async function exportAll(admin: Admin, file: string | undefined, options: ExportOptions): Promise<number> {
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
  await writeFile(path, text, { mode: 0o600 })
  const { mcpServers = {}, projects, endpoints, tokens } = exported.config
  const counts = {
    servers: Object.keys(mcpServers).length,
    projects: Object.keys(projects).length,
    endpoints: Object.keys(endpoints).length,
    tokens: tokens.length,
  }
  const told = Object.entries(counts).map(([noun, count]) => `${count} ${noun}`)
  const secrets = exported.hasSecrets ? 'secrets included: keep it safe' : 'secrets are masked; --with-secrets has them'
  return answer(admin, { file: path, ...counts, hasSecrets: exported.hasSecrets }, [
    `  wrote ${path}: ${told.join(', ')}`,
    `  ${secrets}`,
  ])
}

/** `tooldex import`: an export, a `tooldex.json` or another program's `mcpServers`. All or nothing. */
export async function importAll(admin: Admin, file: string, isDryRun: boolean): Promise<number> {
  const body = readDocument(await readGiven(admin, file), file, admin.context.environment.variables)
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
  // What is stored is stored as it is: variables are put in now or never.
  const filled = substitute(value, variables)
  if (filled.problems.length > 0) {
    const missing = filled.problems.map(({ message }) => message)
    throw new GatewayError('INVALID_ARGUMENTS', { reason: `${file}: ${missing.join('; ')}` })
  }
  if (typeof filled.value === 'object' && filled.value !== null && !Array.isArray(filled.value)) {
    return filled.value as Record<string, unknown>
  }
  throw new GatewayError('INVALID_ARGUMENTS', { reason: `${file} must have a JSON object` })
}
