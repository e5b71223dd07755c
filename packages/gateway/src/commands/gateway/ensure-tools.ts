import { GatewayError } from '../../errors.ts'
import type { CommandContext } from './context.ts'
import type { CommandGateway } from './context.ts'
import { clean, counted } from '../terminal/terminal.ts'

/** Long enough for programs that are fetched before they can start. */
const MOST_MS = 60_000

/**
 * Asks all servers for their tools where nothing is known yet, so that the very first search finds something. What they
 * list is kept: the next search starts nothing.
 * @throws GatewayError SERVER_NOT_FOUND where there is no server, SERVER_START_FAILED where none has a tool.
 */
export async function ensureTools(
  { catalog, models, pool }: Pick<CommandGateway, 'catalog' | 'models' | 'pool'>,
  { terminal }: Pick<CommandContext, 'terminal'>,
): Promise<void> {
  if (catalog.snapshot().tools.size > 0) return
  const servers = models.current().servers.filter(({ enabled }) => enabled)
  if (servers.length === 0) {
    throw new GatewayError('SERVER_NOT_FOUND', {
      reason: 'there are no servers to search yet',
      remedy: 'Add one: `tooldex server add <id> -- <command…>`, or in tooldex.json',
    })
  }
  terminal.err(`  no list is known yet: asking ${counted(servers.length, 'server')} for their tools …\n`)
  await catalog.met(MOST_MS)
  if (catalog.snapshot().tools.size > 0) return
  const problems = pool.all().flatMap((server) => {
    const { id, lastError } = server.status()
    return lastError === undefined ? [] : [`${id}: ${clean(lastError.message)}`]
  })
  throw new GatewayError('SERVER_START_FAILED', {
    reason: problems.length === 0 ? 'no server listed a tool' : problems.join('; '),
    remedy: '`tooldex doctor` looks for what is wrong',
  })
}
