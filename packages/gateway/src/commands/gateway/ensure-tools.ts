import { GatewayError } from '../../errors.ts'
import type { CommandContext, CommandGateway } from './context.ts'
import { clean, counted } from '../terminal/terminal.ts'

/** Long enough for programs that are downloaded before they start. */
const TIMEOUT_MS = 60_000

/**
 * Starts all servers and waits for their tools if no tool is known yet, so that the very first search finds something. The
 * lists are stored, so the next search starts no server.
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
      reason: 'no servers are configured yet',
      remedy: 'Add one: `tooldex server add <id> -- <command…>`, or in tooldex.json',
    })
  }
  terminal.err(`  no tools known yet: listing the tools of ${counted(servers.length, 'server')} …\n`)
  await catalog.met(TIMEOUT_MS)
  if (catalog.snapshot().tools.size > 0) return
  const problems = pool.all().flatMap((server) => {
    const { id, lastError } = server.status()
    return lastError === undefined ? [] : [`${id}: ${clean(lastError.message)}`]
  })
  throw new GatewayError('SERVER_START_FAILED', {
    reason: problems.length === 0 ? 'no server listed a tool' : problems.join('; '),
    remedy: 'Run `tooldex doctor` to find the problem',
  })
}
