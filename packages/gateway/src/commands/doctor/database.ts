import type { Store, StoreHealth } from '../../model/store.ts'
import type { StoredState } from '../../model/stored-state.ts'
import { type LoadedConfig, modelOf } from '../../config/load-config.ts'
import { GatewayError } from '../../errors.ts'
import type { CommandContext } from '../gateway/context.ts'
import { hasStore, openConfiguredStore } from '../gateway/open-store.ts'
import type { RunningGateway } from '../gateway/running-gateway.ts'
import { moment } from '../terminal/terminal.ts'
import { lookAtCommands } from './machine.ts'
import { type Finding, fine, remark, wrong } from './finding.ts'

const DAY_MS = 86_400_000
/** What clocks of two machines may differ by. */
const TOLERANCE_MS = 120_000

interface Looked {
  readonly loaded: LoadedConfig
  readonly running: RunningGateway | undefined
}

/** Whether the database works, is backed up, and goes together with the file. */
export async function lookAtDatabase(
  { loaded, running }: Looked,
  context: CommandContext,
): Promise<readonly Finding[]> {
  if (!hasStore(loaded.config)) {
    return [fine('database', 'there is none yet; it is made with the first start'), ...lookAtModel(loaded, undefined)]
  }
  let store: Store
  try {
    store = await openConfiguredStore(loaded.config, context)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return [unopened(error)]
  }
  try {
    const state = store.current()
    const health = await store.check()
    return [
      ...databaseFindings(health, context.now(), running !== undefined),
      lookAtKeys(state),
      lookAtClock(state, health, context.now()),
      ...lookAtModel(loaded, state),
      ...(running === undefined ? await lookAtCommands(modelServers(loaded, state), context.environment) : []),
    ]
  } finally {
    await store.close()
  }
}

/** The store says itself what to do. */
function unopened({ details, message }: GatewayError): Finding {
  const { reason, remedy } = details
  return typeof reason === 'string' && typeof remedy === 'string'
    ? wrong('database', reason, remedy)
    : wrong('database', message)
}

function databaseFindings(health: StoreHealth, now: number, isRunning: boolean): Finding[] {
  const { kind, place, problems, latestBackupAt, schemaVersion } = health
  const told = problems.map((problem) => wrong('database', problem))
  const works = told.length === 0 ? [fine('database', `${kind}, ${place}, version ${schemaVersion}`)] : told
  if (kind === 'postgres')
    return [...works, remark('backups', 'PostgreSQL is backed up by whoever runs it', 'pg_dump does')]
  if (latestBackupAt === undefined) {
    return [...works, remark('backups', 'there is none yet', 'A running gateway makes one a day')]
  }
  const isOld = isRunning && now - latestBackupAt > 2 * DAY_MS
  const text = `the newest is of ${moment(latestBackupAt)}`
  return [...works, isOld ? wrong('backups', text, 'See whether the disk is full') : fine('backups', text)]
}

function lookAtKeys({ servers }: StoredState): Finding {
  const unreadable = servers.filter(({ unreadableSecrets = [] }) => unreadableSecrets.length > 0).map(({ id }) => id)
  if (unreadable.length === 0) return fine('key', 'all stored secrets can be read')
  return wrong(
    'key',
    `the secrets of ${unreadable.join(', ')} cannot be read, so they are not started`,
    'Put the key back (secret.key in the data folder, or TOOLDEX_SECRET_KEY), or set the values anew: tooldex server set',
  )
}

/** Expiry, audit and backups go by the clock. */
function lookAtClock({ servers, projects, endpoints, tokens }: StoredState, health: StoreHealth, now: number): Finding {
  const times = [...servers, ...projects, ...endpoints, ...tokens].map(({ updatedAt }) => updatedAt)
  const newest = Math.max(0, health.latestBackupAt ?? 0, ...times)
  if (newest <= now + TOLERANCE_MS) return fine('clock', `${moment(now)} UTC`)
  return wrong(
    'clock',
    `it is ${moment(now)} UTC here, but something was written at ${moment(newest)}`,
    'Set the clock',
  )
}

function lookAtModel(loaded: LoadedConfig, state: StoredState | undefined): Finding[] {
  try {
    const { model, leftOut } = modelOf(loaded, state)
    const { servers, projects, endpoints, tokens } = model
    const text = `${servers.length} servers, ${projects.size} projects, ${endpoints.size} endpoints, ${tokens.size} tokens`
    const gone = leftOut.map((each) => remark('settings', each, 'Take it out, or bring back what it names'))
    const noToken = remark('tokens', 'there are none', 'Make one: tooldex token create --name <name>')
    return [fine('settings', text), ...gone, ...(tokens.size === 0 ? [noToken] : [])]
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const problems = (error.details['problems'] ?? [error.message]) as readonly string[]
    return problems.map((problem) => wrong('settings', problem, 'Correct it; `tooldex check` tells the same'))
  }
}

function modelServers(loaded: LoadedConfig, state: StoredState) {
  try {
    return modelOf(loaded, state).model.servers
  } catch {
    return []
  }
}
