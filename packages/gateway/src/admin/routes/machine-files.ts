import { createHash } from 'node:crypto'
import type { ServerConfig } from '@tooldex/contract'
import type { FoundServer, InstalledClient, PlannedConnection, RouteAnswer, RouteBody } from '@tooldex/contract/admin'
import { hashToken } from '../../access/tokens.ts'
import type { Machine } from '../../config/environment.ts'
import { GatewayError } from '../../errors.ts'
import { canonicalText } from '../../model/canonical-json.ts'
import { DEFAULT_ENDPOINT } from '../../model/gateway-model.ts'
import type { ClientFile } from '../../setup/client-files.ts'
import { type ImportedServer, importPlan, withInputs } from '../../setup/import-plan.ts'
import { fileDiff } from '../../setup/machine/file-diff.ts'
import { SetupJournal } from '../../setup/machine/journal.ts'
import {
  type ClientPlan,
  freeTokenName,
  planClient,
  type PlanOptions,
  planRevision,
  titleOf,
  writeClient,
} from '../../setup/machine/plan-client.ts'
import { findClients, installedClients, sourcesOf } from '../../setup/machine/read-clients.ts'
import { fileSentence } from '../../setup/note-sentences.ts'
import { invalidField } from '../changes/invalid-request.ts'
import { checkedServer } from '../changes/server-changes.ts'
import type { TokenChanges } from '../changes/token-changes.ts'
import type { AdminContext } from './admin-context.ts'
import { endpointPath } from './endpoints.ts'
import { previewOne } from './servers/pasted-servers.ts'

/** What a change of a client's file needs beside the file. */
interface Collaborators {
  readonly context: AdminContext
  readonly tokens: TokenChanges
}

type Connection = RouteBody<'previewClient'>

/** The clients on this machine, each with the file that the gateway would write itself into. */
export function foundClients({ environment, dataDir }: Machine): InstalledClient[] {
  const entries = new SetupJournal(dataDir).entries()
  return installedClients(environment).map(({ client, path }) => {
    const at = entries.findLast((entry) => entry.change.client === client)?.at
    return { client, title: titleOf(client), file: path, ...(at !== undefined && { writtenAt: at }) }
  })
}

/** A planned change, with everything that is needed to write it. */
interface PlannedClient {
  readonly plan: ClientPlan
  readonly options: PlanOptions
  readonly projectId: string
}

/** @throws GatewayError CLIENT_NOT_FOUND, ENDPOINT_NOT_FOUND, InvalidRequest */
export function planConnection(
  client: string,
  { endpoint, secret }: Connection,
  machine: Machine,
  context: AdminContext,
): PlannedClient {
  const { config } = context.entries.endpoint(endpoint)
  if (secret !== undefined && !context.model.tokens.has(hashToken(secret))) {
    throw invalidField('secret', 'is not the secret of a client token of this gateway')
  }
  const program = endpoint === DEFAULT_ENDPOINT ? machine.program : [...machine.program, '--endpoint', endpoint]
  const options: PlanOptions = {
    target: { url: new URL(endpointPath(endpoint), context.live.url()).href, program },
    tokenVariable: false,
    takenOver: [],
    renewsToken: secret !== undefined,
  }
  return { plan: planClient(installed(client, machine), options), options, projectId: config.project }
}

/** @throws GatewayError CLIENT_NOT_FOUND */
function installed(client: string, { environment }: Machine): ClientFile {
  const file = installedClients(environment).find((each) => each.client === client)
  if (file !== undefined) return file
  throw new GatewayError('CLIENT_NOT_FOUND', {
    client,
    reason: `${JSON.stringify(client)} was not found on this machine`,
    remedy: 'Copy the lines for it into its settings by hand',
  })
}

/** A plan as the API shows it. */
export function shownPlan({ plan }: PlannedClient): PlannedConnection {
  const { client, title, file, action, reason, changes } = plan
  const diff = changes.flatMap(({ before, after }) => fileDiff(before?.toString('utf8') ?? '', after.toString('utf8')))
  return {
    ...{ client, title, file: file.path, action },
    ...(reason !== undefined && { reason }),
    diff,
    revision: planRevision(plan),
  }
}

/**
 * Writes an endpoint into the file of a client. A token that was made for it is revoked again if the file cannot be written.
 * @throws GatewayError REVISION_CONFLICT, CLIENT_FILE_REFUSED
 */
export async function connect(
  client: string,
  body: RouteBody<'connectClient'>,
  machine: Machine,
  { context, tokens }: Collaborators,
): Promise<RouteAnswer<'connectClient'>> {
  const { plan, options, projectId } = planConnection(client, body, machine, context)
  const file = plan.file.path
  if (plan.action === 'refused') throw fileRefused(file, plan.reason ?? '')
  if (planRevision(plan) !== body.revision) throw changedSince(file)
  const answer = { client, title: plan.title, file }
  if (plan.changes.length === 0) return answer
  const { secret } = body
  const name = freeTokenName(plan.title, (each) => context.entries.tokenNamed(each) !== undefined)
  const made =
    secret === undefined
      ? await tokens.create({ name, kind: 'client', projects: [projectId], readOnly: false })
      : undefined
  try {
    const now = context.parts.now()
    const journal = new SetupJournal(machine.dataDir)
    writeClient(plan, options, { journal, now, token: secret ?? made?.secret, tokenId: made?.id })
  } catch (error) {
    if (made !== undefined) await tokens.revoke(made.id)
    throw asFileRefusal(error, file)
  }
  return { ...answer, ...(made !== undefined && { token: name }) }
}

/** Takes the latest change of a client's file back. @throws GatewayError CLIENT_NOT_FOUND, CLIENT_FILE_REFUSED */
export async function undoLatest(
  client: string,
  { dataDir }: Machine,
  { context, tokens }: Collaborators,
): Promise<RouteAnswer<'disconnectClient'>> {
  const journal = new SetupJournal(dataDir)
  const entry = journal.entries().findLast(({ change }) => change.client === client)
  if (entry === undefined) {
    throw new GatewayError('CLIENT_NOT_FOUND', {
      client,
      reason: `no file of ${JSON.stringify(client)} was changed by this gateway`,
      remedy: 'There is nothing to undo',
    })
  }
  const { path, outcome, reason = '' } = journal.undo(entry)
  if (outcome === 'failed') throw fileRefused(path, `${path} was not set back: ${reason}`)
  const { tokenId } = entry
  if (tokenId !== undefined && context.entries.tokenName(tokenId) !== undefined) await tokens.revoke(tokenId)
  return { client, title: titleOf(client), file: path, outcome }
}

/** The servers in the files of the clients. Their secrets stay in the files: the answer has names and masks. */
export function findServers(machine: Machine, context: AdminContext): RouteAnswer<'findServers'> {
  const { found, servers } = plannedServers(machine, context)
  return {
    items: servers.map((server) => shownServer(server, context)),
    notes: found.files.flatMap(({ client, path, read }) =>
      read.notes.flatMap((note) => {
        const sentence = fileSentence(note, client)
        return sentence === undefined ? [] : [`${path}: ${sentence}`]
      }),
    ),
    unreadable: found.broken.map(({ file, reason }) => ({ file: file.path, reason })),
  }
}

/** The configuration of a server that was found. @throws GatewayError REVISION_CONFLICT, InvalidRequest */
export function foundServer(
  { id, digest, inputs }: RouteBody<'addFoundServer'>,
  machine: Machine,
  context: AdminContext,
): ServerConfig {
  const server = plannedServers(machine, context).servers.find((each) => digestOf(each) === digest)
  if (server !== undefined) return checkedServer(id, withInputs(server, new Map(Object.entries(inputs))))
  throw new GatewayError('REVISION_CONFLICT', {
    reason: 'the file of the client has changed since it was shown',
    remedy: 'Look for servers again, and see what would be added now',
  })
}

function plannedServers({ environment }: Machine, context: AdminContext) {
  const found = findClients(environment)
  return {
    found,
    servers: importPlan(found.files, { sources: sourcesOf(environment), gatewayUrl: context.live.url() }),
  }
}

function shownServer(server: ImportedServer, { entries }: AdminContext): FoundServer {
  const existing = entries.servers()
  const same = existing.find(({ config }) => targetOf(config) === targetOf(server.config))
  const taken = new Set(existing.map(({ id }) => id.toLowerCase()))
  const id = same === undefined ? freeId(server.id, taken) : server.id
  const { config: _secret, isNew, problems, ...shown } = previewOne({ ...server, id }, taken)
  return {
    ...shown,
    isNew: isNew && same === undefined,
    // What is there already is no problem of the entry.
    problems: same === undefined ? problems : [],
    digest: digestOf(server),
    foundIn: server.origins.map(({ client, path, name }) => ({ client, title: titleOf(client), file: path, name })),
    ...(same !== undefined && { sameAs: same.id }),
  }
}

const targetOf = ({ command, args = [], url }: Readonly<Record<string, unknown>>): string =>
  canonicalText([command ?? null, args, url ?? null])

function freeId(id: string, taken: ReadonlySet<string>): string {
  let free = id
  for (let number = 2; taken.has(free.toLowerCase()); number++) free = `${id}-${number}`
  return free
}

function digestOf({ id, config }: ImportedServer): string {
  return createHash('sha256')
    .update(canonicalText([id, config]))
    .digest('base64url')
    .slice(0, 22)
}

function changedSince(file: string): GatewayError {
  return new GatewayError('REVISION_CONFLICT', {
    file,
    reason: `${file} has changed since the preview`,
    remedy: 'Look at the change again; nothing was written',
  })
}

function fileRefused(file: string, reason: string): GatewayError {
  const remedy = 'Correct the file, or copy the lines into it by hand; it was not changed'
  return new GatewayError('CLIENT_FILE_REFUSED', { file, reason, remedy })
}

function asFileRefusal(error: unknown, file: string): unknown {
  if (!(error instanceof GatewayError) || error.code !== 'CONFIG_INVALID') return error
  return fileRefused(file, String(error.details['reason'] ?? error.message))
}
