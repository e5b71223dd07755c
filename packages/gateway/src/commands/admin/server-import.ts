import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import type { ServerPreview } from '@tooldex/contract/admin'
import { GatewayError } from '../../errors.ts'
import { EXIT } from '../exit-codes.ts'
import { table } from '../table.ts'
import { type Admin, answer } from './admin.ts'

type Item = ServerPreview['items'][number]

/** `tooldex server import`: the servers of a configuration of Claude, Cursor or VS Code. What is there stays as it is. */
export async function importServers(admin: Admin, file: string, isDryRun: boolean): Promise<number> {
  const text = await readGiven(admin, file)
  const { items } = await admin.client.ask('previewServers', { body: { text } })
  const added: string[] = []
  for (const { id, isNew, config } of items) {
    if (isDryRun || !isNew || config === undefined) continue
    await admin.client.ask('createServer', { body: { id, ...config } })
    added.push(id)
  }
  const rows = items.map((item) => [item.id, outcomeOf(item, isDryRun), item.runs ?? item.connects ?? '', whyNot(item)])
  answer(admin, { added, items }, table(['server', '', 'is', ''], rows, admin.context.terminal))
  return items.some(({ isNew, problems }) => isNew && problems.length > 0) ? EXIT.usage : EXIT.ok
}

/** A file, or `-` for standard input. @throws GatewayError INVALID_ARGUMENTS */
export async function readGiven({ context }: Pick<Admin, 'context'>, file: string): Promise<string> {
  if (file === '-') return readAll(context.streams.input)
  try {
    return await readFile(resolve(context.environment.cwd, file), 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new GatewayError('INVALID_ARGUMENTS', { reason: `${file} cannot be read (${code})` }, { cause: error })
  }
}

function outcomeOf({ isNew, problems }: Item, isDryRun: boolean): string {
  if (!isNew) return 'is there already'
  if (problems.length > 0) return 'refused'
  return isDryRun ? 'would be added' : 'added'
}

function whyNot({ isNew, problems, missingVariables }: Item): string {
  if (!isNew) return ''
  if (missingVariables.length > 0) return `needs values for ${missingVariables.join(', ')}`
  return problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
}
