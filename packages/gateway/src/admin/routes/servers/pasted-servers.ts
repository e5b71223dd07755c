import { checkConfig, type ConfigProblem, placeOf, type ServerConfig } from '@tooldex/contract'
import type { ServerPreview } from '@tooldex/contract/admin'
import { asRecord } from '../../../config/merge-config.ts'
import { serverDefinition } from '../../../config/to-model.ts'
import { GatewayError } from '../../../errors.ts'
import { type ImportedServer, importPlan } from '../../../setup/import-plan.ts'
import { fileSentence } from '../../../setup/note-sentences.ts'
import { detectClient } from '../../../setup/pasted-text.ts'
import { type ReadFile, readServers } from '../../../setup/read-servers.ts'
import type { ConfiguredEntries } from '../../changes/configured-entries.ts'
import { invalidField } from '../../changes/invalid-request.ts'
import { maskArguments, maskUrl } from '../../../model/server-secrets.ts'

type Previewed = ServerPreview['items'][number]

const LONGEST_COMMAND = 500
/** The person who pastes may be on another machine: no value of this one is used. */
const NO_VALUES = { variables: {}, home: '~' }

/** Previews the servers of a pasted configuration, without storing or starting them. @throws InvalidRequest */
export function previewPasted(text: string, entries: ConfiguredEntries): ServerPreview {
  const { client, read } = readPasted(text)
  const servers = importPlan([{ client, path: 'the text', read }], { sources: NO_VALUES })
  const notes = read.notes.flatMap((note) => fileSentence(note, client) ?? [])
  if (servers.length === 0) throw invalidField('text', ['has no servers that can be added', ...notes].join('; '))
  const known = new Set(entries.servers().map(({ id }) => id.toLowerCase()))
  return { items: servers.map((server) => previewOne(server, known)), notes }
}

function readPasted(text: string): { readonly client: string; readonly read: ReadFile } {
  try {
    const detected = detectClient(text)
    const read = readServers({ ...detected, scope: 'user', name: 'the text', surroundings: {}, sources: NO_VALUES })
    return { client: detected.client, read }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    throw invalidField('text', String(error.details['reason'] ?? error.message))
  }
}

/** A server as it would be added, with its problems. @param known ids in lower case that are taken */
export function previewOne(server: ImportedServer, known: ReadonlySet<string>): Previewed {
  const { id, missing, notes, ignoredKeys, inputs } = server
  const checked = checkConfig({ mcpServers: { [id]: server.config } })
  const problems: ConfigProblem[] = checked.problems.map((each) => ({ ...each, path: each.path.slice(2) }))
  const isNew = !known.has(id.toLowerCase())
  if (!isNew) problems.push({ path: [], message: `a server called ${JSON.stringify(id)} already exists` })
  const config = checked.config?.mcpServers?.[id]
  return {
    id,
    isNew,
    ...(config !== undefined && shownTarget(id, config)),
    variables: [...Object.keys(asRecord(server.config['env'])), ...Object.keys(asRecord(server.config['headers']))],
    missingVariables: [...missing],
    inputs: inputs.map(({ id: input, description, secret }) => ({
      id: input,
      secret,
      ...(description !== undefined && { description }),
    })),
    ignoredKeys: [...ignoredKeys],
    notes: [...notes],
    problems: problems.map(({ path, message }) => ({ path: placeOf(path), message })),
    ...(problems.length === 0 && config !== undefined && { config }),
  }
}

function shownTarget(id: string, config: ServerConfig): Partial<Previewed> {
  const { transport } = serverDefinition(id, config)
  if (transport.kind !== 'stdio') return { transport: transport.kind, connects: maskUrl(transport.url) }
  const runs = [transport.command, ...maskArguments(transport.args)].join(' ')
  return { transport: 'stdio', runs: runs.slice(0, LONGEST_COMMAND) }
}
