import type { Store, StoreHealth } from '../../model/store.ts'
import type { StoredState } from '../../model/stored-state.ts'
import { type LoadedConfig, modelOf } from '../../config/load-config.ts'
import { GatewayError } from '../../errors.ts'
import type { CommandContext } from '../gateway/context.ts'
import { hasStore, openConfiguredStore } from '../gateway/open-store.ts'
import type { RunningGateway } from '../gateway/running-gateway.ts'
import { silentLogger } from '../../telemetry/logger.ts'
import { moment } from '../terminal/terminal.ts'
import { checkCommands } from './machine.ts'
import { type Finding, fine, remark, wrong } from './finding.ts'

const DAY_MS = 86_400_000
/** Tolerated difference between the clocks of two machines. */
const TOLERANCE_MS = 120_000

interface DatabaseCheck {
  readonly loaded: LoadedConfig
  readonly running: RunningGateway | undefined
}

/** Checks the database, its backups, and that it does not conflict with the file. */
export async function checkDatabase(
  { loaded, running }: DatabaseCheck,
  context: CommandContext,
): Promise<readonly Finding[]> {
  if (!hasStore(loaded.config)) {
    return [fine('database', 'none yet; it will be created at the first start'), ...checkModel(loaded, undefined)]
  }
  let store: Store
  try {
    // What the store would log is among the findings.
    store = await openConfiguredStore(loaded.config, context, silentLogger())
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return [unopened(error)]
  }
  try {
    const state = store.current()
    const health = await store.check()
    return [
      ...databaseFindings(health, context.now(), running !== undefined),
      ...checkKeys(health),
      checkClock(state, health, context.now()),
      ...checkModel(loaded, state),
      ...(running === undefined ? await checkCommands(modelServers(loaded, state), context.environment) : []),
    ]
  } finally {
    await store.close()
  }
}

/** The error of the store contains the remedy. */
function unopened({ details, message }: GatewayError): Finding {
  const { reason, remedy } = details
  return typeof reason === 'string' && typeof remedy === 'string'
    ? wrong('database', reason, remedy)
    : wrong('database', message)
}

function databaseFindings(health: StoreHealth, now: number, isRunning: boolean): Finding[] {
  const { kind, place, problems, latestBackupAt, schemaVersion } = health
  const broken = problems.map((problem) => wrong('database', problem))
  const works = broken.length === 0 ? [fine('database', `${kind}, ${place}, version ${schemaVersion}`)] : broken
  if (kind === 'postgres')
    return [...works, remark('backups', 'the gateway does not back up PostgreSQL', 'Use pg_dump')]
  if (latestBackupAt === undefined) {
    return [...works, remark('backups', 'none yet', 'A running gateway creates one per day')]
  }
  const isOld = isRunning && now - latestBackupAt > 2 * DAY_MS
  const text = `the newest is from ${moment(latestBackupAt)}`
  return [...works, isOld ? wrong('backups', text, 'Check whether the disk is full') : fine('backups', text)]
}

function checkKeys({ unreadableSecrets }: StoreHealth): Finding[] {
  if (unreadableSecrets.length === 0) return [fine('key', 'all stored secrets are readable')]
  return unreadableSecrets.map(({ reason, remedy }) => wrong('key', reason, remedy))
}

/** Expiry, audit log and backups depend on the clock. */
function checkClock({ servers, projects, endpoints, tokens }: StoredState, health: StoreHealth, now: number): Finding {
  const times = [...servers, ...projects, ...endpoints, ...tokens].map(({ updatedAt }) => updatedAt)
  const newest = Math.max(0, health.latestBackupAt ?? 0, ...times)
  if (newest <= now + TOLERANCE_MS) return fine('clock', `${moment(now)} UTC`)
  return wrong(
    'clock',
    `the time is ${moment(now)} UTC, but an entry was written at ${moment(newest)}`,
    'Set the clock',
  )
}

function checkModel(loaded: LoadedConfig, state: StoredState | undefined): Finding[] {
  try {
    const { model, leftOut } = modelOf(loaded, state)
    const { servers, projects, endpoints, tokens } = model
    const text = `${servers.length} servers, ${projects.size} projects, ${endpoints.size} endpoints, ${tokens.size} tokens`
    const gone = leftOut.map((each) => remark('settings', each, 'Remove it, or restore the entry that it refers to'))
    const noToken = remark('tokens', 'none yet', 'Create one: tooldex token create --name <name>')
    return [fine('settings', text), ...gone, ...(tokens.size === 0 ? [noToken] : [])]
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const problems = (error.details['problems'] ?? [error.message]) as readonly string[]
    return problems.map((problem) => wrong('settings', problem, 'Correct it; `tooldex check` shows the same problem'))
  }
}

function modelServers(loaded: LoadedConfig, state: StoredState) {
  try {
    return modelOf(loaded, state).model.servers
  } catch {
    return []
  }
}
