import { dirname, resolve } from 'node:path'
import { checkConfig, placeOf } from '@tooldex/contract'
import type { Environment } from '../../config/environment.ts'
import { clientOfPath } from '../../setup/client-files.ts'
import { type ImportedServer, importPlan, type SourceFile, withInputs } from '../../setup/import-plan.ts'
import { readMcproxySettings } from '../../setup/mcproxy-settings.ts'
import { fileSentence } from '../../setup/note-sentences.ts'
import { detectClient } from '../../setup/pasted-text.ts'
import { readServers } from '../../setup/read-servers.ts'
import { readClientFile, sourcesOf } from '../../setup/machine/read-clients.ts'
import { type Admin, answer } from '../admin/admin.ts'
import type { ServerImportOptions } from '../admin/server.ts'
import { readInput } from '../admin/transfer.ts'
import { pairs } from '../terminal/command-options.ts'
import { AdminProblem, EXIT } from '../terminal/exit-codes.ts'
import { table } from '../terminal/terminal.ts'

/** `tooldex server import`: adds the servers of a client's file, or of an export of another gateway. Existing servers stay. */
export async function importServers(admin: Admin, file: string, options: ServerImportOptions): Promise<number> {
  const { environment } = admin.context
  const text = await readInput(admin, file)
  const path = file === '-' ? undefined : resolve(environment.cwd, file)
  const source = readSource(text, path, options.client, environment)
  const servers = importPlan([source], { sources: sourcesOf(environment) })
  const inputs = new Map(Object.entries(pairs(options.input, '=', '--input') ?? {}))
  const { items: existing } = await admin.client.ask('listServers')
  const known = new Set(existing.map(({ id }) => id.toLowerCase()))
  const items = []
  for (const server of servers) {
    const isNew = !known.has(server.id.toLowerCase())
    const problem = isNew && options.dryRun !== true ? await added(admin, server, inputs) : checked(server)
    const missing = server.missing.filter((name) => !inputs.has(name))
    items.push({
      id: server.id,
      isNew,
      transport: server.transport,
      missing,
      notes: server.notes,
      ...(isNew && problem),
    })
  }
  const settings = await importSettings(admin, text, options.dryRun === true)
  const notes = source.read.notes.flatMap((note) => fileSentence(note, source.client) ?? [])
  const rows = items.map((item) => [item.id, outcomeOf(item, options.dryRun === true), whyNot(item)])
  const isAdded = (item: Item): boolean => options.dryRun !== true && item.isNew && item.problem === undefined
  answer(admin, { added: items.filter(isAdded).map(({ id }) => id), items, notes, ...settings.value }, [
    ...table(['server', '', ''], rows, admin.context.terminal),
    ...items.flatMap(({ id, isNew, notes: sentences }) => (isNew ? sentences.map((each) => `  ${id}: ${each}`) : [])),
    ...notes.map((note) => `  ${note}`),
    ...settings.lines,
  ])
  return items.some(({ isNew, problem }) => isNew && problem !== undefined) ? EXIT.usage : EXIT.ok
}

interface Item {
  readonly id: string
  readonly isNew: boolean
  readonly missing: readonly string[]
  readonly problem?: string
}

/** A file is read by the rules of the client that owns its path; other texts by those of the client that they look like. */
function readSource(
  text: string,
  path: string | undefined,
  client: string | undefined,
  environment: Environment,
): SourceFile {
  const owner = path === undefined || client !== undefined ? undefined : clientOfPath(path, environment)
  if (owner !== undefined) return readClientFile(owner, environment)
  const name = path ?? 'standard input'
  const surroundings = { home: environment.home, ...(path !== undefined && { folder: dirname(path) }) }
  const detected = client === undefined ? detectClient(text, name) : { client, text }
  const read = readServers({ ...detected, scope: 'user', name, surroundings, sources: sourcesOf(environment) })
  return { client: detected.client, path: name, read }
}

async function added(
  admin: Admin,
  server: ImportedServer,
  inputs: ReadonlyMap<string, string>,
): Promise<{ readonly problem?: string }> {
  try {
    const body = { id: server.id, ...withInputs(server, inputs) }
    await admin.client.ask('createServer', { body })
    return {}
  } catch (error) {
    if (!(error instanceof AdminProblem)) throw error
    return { problem: [...error.problems, error.message][0] ?? error.code }
  }
}

function checked({ id, config }: ImportedServer): { readonly problem?: string } {
  const [first] = checkConfig({ mcpServers: { [id]: config } }).problems
  if (first === undefined) return {}
  const place = placeOf(first.path.slice(2))
  return { problem: place === '' ? first.message : `${place}: ${first.message}` }
}

function outcomeOf({ isNew, problem, missing }: Item, isDryRun: boolean): string {
  if (!isNew) return 'exists already'
  if (problem !== undefined) return 'rejected'
  return `${isDryRun ? 'would be added' : 'added'}${missing.length > 0 ? ', off' : ''}`
}

function whyNot({ id, isNew, problem, missing }: Item): string {
  if (!isNew) return ''
  const [first] = missing
  if (problem !== undefined || first === undefined) return problem ?? ''
  return `needs a value for ${missing.join(', ')}: tooldex server set ${id} --input ${first}=…`
}

/** Applies the tool search of MCProxy to the default project: its own servers are the ones that were imported. */
async function importSettings(
  admin: Admin,
  text: string,
  isDryRun: boolean,
): Promise<{ readonly value: object; readonly lines: readonly string[] }> {
  const settings = readMcproxySettings(text)
  if (settings === undefined) return { value: {}, lines: [] }
  const { selectionOrder, ...others } = settings
  const body = { ...others, ...(selectionOrder !== undefined && { selectionOrder: [...selectionOrder] }) }
  if (!isDryRun) await admin.client.ask('changeProject', { params: { project: 'default' }, body })
  const shown = Object.entries(settings).map(([key, value]) => `${key} ${JSON.stringify(value)}`)
  const verb = isDryRun ? 'would get' : 'got'
  return { value: { project: settings }, lines: [`  the project default ${verb} ${shown.join(', ')}`] }
}
