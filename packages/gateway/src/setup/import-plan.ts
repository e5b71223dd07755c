import type { ReferenceSources } from '../config/substitute.ts'
import { substitute } from '../config/substitute.ts'
import { ENTRY_NAME, isOurEntry } from './gateway-entry.ts'
import { effectiveServer, storedServer } from './imported-server.ts'
import { serverSentences } from './note-sentences.ts'
import type { InputSpec, ReadServer } from './read-server.ts'
import type { ReadFile } from './read-servers.ts'

// oxlint-disable-next-line no-control-regex -- control characters are what an id cannot have
const NOT_IN_IDS = /[:\u0000-\u001f\u007f]+/g

/** A file that was read, with its client. */
export interface SourceFile {
  readonly client: string
  readonly path: string
  /** The project of a project file. */
  readonly project?: string
  readonly read: ReadFile
}

/** Where a server was found. */
export interface Origin {
  readonly client: string
  readonly path: string
  readonly name: string
  /** The project of a server that a user's file has for one project only. */
  readonly project?: string
}

/** A server that can be added. */
export interface ImportedServer {
  readonly id: string
  /** Its configuration, to be checked like any other. */
  readonly config: Readonly<Record<string, unknown>>
  readonly transport: ReadServer['transport']
  readonly origins: readonly Origin[]
  /** Names of values that it refers to and that are not set. */
  readonly missing: readonly string[]
  readonly inputs: readonly InputSpec[]
  /** Everything that is not taken over, or differs, in sentences. */
  readonly notes: readonly string[]
  /** Keys of the entry that mean nothing here. */
  readonly ignoredKeys: readonly string[]
}

/** The servers of all files. The same server in several files is one server with several origins. */
export function importPlan(
  files: readonly SourceFile[],
  { sources, gatewayUrl }: { readonly sources: ReferenceSources; readonly gatewayUrl?: string },
): readonly ImportedServer[] {
  const found = new Map<string, ImportedServer>()
  const ids = new Set<string>()
  for (const { client, path, project, read } of files) {
    for (const server of read.servers) {
      const effective = effectiveServer(server, sources)
      if (gatewayUrl !== undefined && (server.name === ENTRY_NAME || isOurEntry(effective, gatewayUrl))) continue
      const { cwd: _, ...rest } = effective
      const base = server.project ?? project
      const key = JSON.stringify([
        rest,
        server.transport === 'stdio' ? (effective.cwd ?? base) : undefined,
        server.asIs,
      ])
      const origin = {
        client,
        path,
        name: server.name,
        ...(server.project !== undefined && { project: server.project }),
      }
      // Two names in one file are two servers, whatever they run.
      const known = found.get(key)
      const isInThisFile = known?.origins.some((other) => other.path === path) === true
      if (known !== undefined && !isInThisFile) {
        // Off in one client and on in another: the gateway serves both.
        const { enabled: _off, ...on } = known.config
        const config = server.enabled ? on : known.config
        found.set(key, { ...known, config, origins: [...known.origins, origin] })
        continue
      }
      const id = freeId(server.name, client, ids)
      const config = storedServer(server, project)
      found.set(isInThisFile ? `${key} ${id}` : key, {
        id,
        config,
        transport: server.transport,
        origins: [origin],
        missing: substitute(config, sources).missing,
        inputs: server.inputs,
        notes: serverSentences(server, client, id),
        ignoredKeys: ignoredKeys(server),
      })
    }
  }
  return [...found.values()]
}

/** The configuration of a server with the values that were given for it. */
export function withInputs(
  { config, missing }: Pick<ImportedServer, 'config' | 'missing'>,
  inputs: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  const given = missing.flatMap((name) => {
    const value = inputs.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return given.length === 0 ? config : { ...config, inputs: Object.fromEntries(given) }
}

function ignoredKeys({ notes }: ReadServer): readonly string[] {
  const codes = new Set(['unknown-key', 'ignored-key', 'no-counterpart', 'eager-loading'])
  return notes.flatMap(({ code, detail }) => (codes.has(code) && typeof detail === 'string' ? [detail] : []))
}

/** The name as an id; another server of the same name gets the name of its client, too. */
function freeId(name: string, client: string, taken: Set<string>): string {
  const plain = name.replace(NOT_IN_IDS, '-').slice(0, 100).trim() || 'server'
  const names = [plain, `${plain}-${client}`]
  for (let number = 2; ; number++) {
    const id = names.shift() ?? `${plain}-${client}-${number}`
    if (taken.has(id.toLowerCase())) continue
    taken.add(id.toLowerCase())
    return id
  }
}
