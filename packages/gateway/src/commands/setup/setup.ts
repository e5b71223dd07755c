import { dataPaths } from '../../config/data-paths.ts'
import { listeningUrl, localUrl } from '../../config/gateway-config.ts'
import { GatewayError } from '../../errors.ts'
import { clientFiles } from '../../setup/client-files.ts'
import { importPlan, withInputs } from '../../setup/import-plan.ts'
import { SetupJournal } from '../../setup/machine/journal.ts'
import {
  checkClients,
  type ClientPlan,
  freeTokenName,
  planClient,
  type PlanOptions,
  writeClient,
} from '../../setup/machine/plan-client.ts'
import { findClients, type FoundClients, sourcesOf } from '../../setup/machine/read-clients.ts'
import { fileSentence } from '../../setup/note-sentences.ts'
import type { Admin } from '../admin/admin.ts'
import { withAdmin } from '../admin/open-admin.ts'
import type { CommandContext } from '../gateway/context.ts'
import { loadConfigFile } from '../gateway/load-config-file.ts'
import { findRunningGateway } from '../gateway/running-gateway.ts'
import { type CommonOptions, pairs } from '../terminal/command-options.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { ask, canAsk } from './ask.ts'
import { stdioCommand } from './own-program.ts'
import { showOutcome, showPlan, showState, type SetupOutcome, type SetupPlan } from './show-setup.ts'
import { undoSetup } from './undo-setup.ts'

/** Options of `tooldex setup`. */
export interface SetupOptions extends CommonOptions {
  readonly yes?: boolean
  readonly dryRun?: boolean
  readonly client?: readonly string[]
  readonly undo?: boolean
  /** Switches the imported servers off in the clients. */
  readonly removeImported?: boolean
  readonly tokenVariable?: boolean
  readonly import?: boolean
  readonly input?: readonly string[]
  /** `tooldex` without arguments: on a machine that is set up, shows the state. */
  readonly bare?: boolean
}

/**
 * `tooldex setup`: finds the servers in the files of the clients, imports them, makes a token for each client and writes the
 * gateway into its file, after a preview.
 */
export async function setup(options: SetupOptions, context: CommandContext): Promise<number> {
  checkClients(options.client ?? [])
  const loaded = await loadConfigFile(options, context)
  const { dataDir, listen } = loaded.config
  const journal = new SetupJournal(dataDir)
  if (options.undo === true) return withAdmin(options, context, (admin) => undoSetup(admin, journal, options))
  const running = await findRunningGateway(dataPaths(dataDir).runRecord, context.fetch, context.version)
  const url = `${running?.url ?? localUrl(listeningUrl(listen))}/mcp`
  const found = findClients(context.environment)
  return withAdmin(options, context, async (admin) => {
    const plan = await planSetup(admin, found, options, { url, isRunning: running !== undefined })
    const isSetUp = journal.entries().length > 0 || plan.servers.some(({ isNew }) => !isNew)
    if (options.bare === true && isSetUp) return showState(admin, plan, journal)
    return run(admin, plan, journal, options)
  })
}

async function planSetup(
  admin: Admin,
  found: FoundClients,
  options: SetupOptions,
  { url, isRunning }: { readonly url: string; readonly isRunning: boolean },
): Promise<SetupPlan> {
  const { context } = admin
  const { items } = await admin.client.ask('listServers')
  const known = new Set(items.map(({ id }) => id.toLowerCase()))
  const imported = importPlan(found.files, { sources: sourcesOf(context.environment), gatewayUrl: url })
  const servers = imported.map((server) => ({ ...server, isNew: !known.has(server.id.toLowerCase()) }))
  // A server of the same name may be another one: the client keeps its own.
  const isTaken = ({ id, isNew, config, missing }: (typeof servers)[number]): boolean => {
    const same = items.find((item) => item.id.toLowerCase() === id.toLowerCase())?.config
    const isSame = same?.command === config['command'] && same?.url === config['url']
    return missing.length === 0 && (isNew ? options.import !== false : isSame)
  }
  const planOptions: PlanOptions = {
    target: { url, program: stdioCommand(context, options) },
    tokenVariable: options.tokenVariable === true,
    takenOver: options.removeImported === true ? servers.filter(isTaken) : [],
  }
  const wanted = options.client ?? found.installed.map(({ client }) => client)
  const files = clientFiles(context.environment).filter(
    ({ client, isMain, scope }) => isMain && scope === 'user' && wanted.includes(client),
  )
  return {
    url,
    isRunning,
    known: items.length,
    servers: options.import === false ? [] : servers,
    clients: files.map((file) => planClient(file, planOptions)),
    planOptions,
    problems: found.broken.map(({ file, reason }) => ({ path: file.path, reason })),
    notes: found.files.flatMap(({ client, path, read }) =>
      read.notes.flatMap((note) => {
        const sentence = fileSentence(note, client)
        return sentence === undefined ? [] : [`${path}: ${sentence}`]
      }),
    ),
  }
}

async function run(admin: Admin, plan: SetupPlan, journal: SetupJournal, options: SetupOptions): Promise<number> {
  const { context } = admin
  const hasWork = plan.servers.some(({ isNew }) => isNew) || plan.clients.some(({ changes }) => changes.length > 0)
  if (options.json !== true || options.dryRun === true) showPlan(admin, plan, { isDryRun: options.dryRun === true })
  if (options.dryRun === true) return EXIT.ok
  if (!hasWork) {
    if (options.json === true) showOutcome(admin, plan, { added: [], written: [], failed: [] })
    return EXIT.ok
  }
  if (options.yes !== true && !canAsk(context)) {
    throw new GatewayError('INVALID_ARGUMENTS', {
      reason: 'nothing was changed: there is no terminal to ask at',
      remedy: 'Pass --yes to do this, or --dry-run to see the changes of each file',
    })
  }
  if (options.yes !== true && !isYes(await ask('  Do this? [y/N] ', context))) {
    context.terminal.err('  nothing was changed\n')
    return EXIT.ok
  }
  const inputs = await askInputs(plan, options, context)
  const stop = new AbortController()
  void context.signals.stop().then(() => stop.abort())
  const added = await importServers(admin, plan.servers, inputs)
  const outcome = await connectClients(admin, plan, journal, stop.signal)
  return showOutcome(admin, plan, { added, ...outcome })
}

const isYes = (answer: string | undefined): boolean => /^y(?:es)?$/i.test(answer?.trim() ?? '')

/** Asks once for each missing value; the answer serves all servers that refer to it. */
async function askInputs(
  { servers }: SetupPlan,
  options: SetupOptions,
  context: CommandContext,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map(Object.entries(pairs(options.input, '=', '--input') ?? {}))
  if (options.yes === true || !canAsk(context)) return values
  const missing = new Set(servers.filter(({ isNew }) => isNew).flatMap(({ missing: names }) => names))
  for (const name of missing) {
    if (values.has(name) || name.startsWith('/')) continue
    const described = servers.flatMap(({ inputs }) => inputs).find(({ id }) => id === name)?.description
    const hint = described === undefined ? name : `${name} (${described})`
    const answer = await ask(`  value for ${hint}, empty to give it later: `, context, { isSecret: true })
    if (answer !== undefined && answer !== '') values.set(name, answer)
  }
  return values
}

/** Adds all servers in one transaction. */
async function importServers(
  admin: Admin,
  servers: SetupPlan['servers'],
  inputs: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const fresh = servers.filter(({ isNew }) => isNew)
  if (fresh.length === 0) return []
  const mcpServers = Object.fromEntries(fresh.map((server) => [server.id, withInputs(server, inputs)]))
  const { entries } = await admin.client.ask('importAll', { body: { mcpServers }, query: { dryRun: 'false' } })
  return entries.filter(({ what, action }) => what === 'server' && action === 'create').map(({ id }) => id)
}

/** Makes a token for each client and writes the gateway into its files. One that fails does not stop the others. */
async function connectClients(
  admin: Admin,
  plan: SetupPlan,
  journal: SetupJournal,
  stop: AbortSignal,
): Promise<Pick<SetupOutcome, 'written' | 'failed' | 'isStopped'>> {
  const written: ClientPlan[] = []
  const failed: { client: ClientPlan; reason: string }[] = []
  for (const client of plan.clients) {
    if (client.action === 'refused') failed.push({ client, reason: client.reason ?? '' })
    if (client.changes.length === 0) continue
    if (stop.aborted) return { written, failed, isStopped: true }
    try {
      await connectClient(admin, client, plan.planOptions, journal)
      written.push(client)
    } catch (error) {
      failed.push({ client, reason: error instanceof Error ? error.message : 'unknown reason' })
    }
  }
  return { written, failed, isStopped: false }
}

async function connectClient(
  admin: Admin,
  client: ClientPlan,
  options: PlanOptions,
  journal: SetupJournal,
): Promise<void> {
  const isOurs = client.action !== 'connected'
  const made = isOurs ? await makeToken(admin, client.title) : undefined
  try {
    writeClient(client, options, { journal, now: admin.context.now(), token: made?.secret, tokenId: made?.id })
  } catch (error) {
    if (made !== undefined) await admin.client.ask('revokeToken', { params: { token: made.id } })
    throw error
  }
}

async function makeToken(admin: Admin, title: string): Promise<{ readonly id: string; readonly secret: string }> {
  const { items } = await admin.client.ask('listTokens')
  const taken = new Set(items.map((token) => token.name.toLowerCase()))
  const name = freeTokenName(title, (each) => taken.has(each.toLowerCase()))
  const { secret, token } = await admin.client.ask('createToken', { body: { name } })
  return { id: token.id, secret }
}
