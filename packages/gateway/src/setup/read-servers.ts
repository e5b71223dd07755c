import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import { asRecord } from '../config/merge-config.ts'
import type { ReferenceSources } from '../config/substitute.ts'
import { GatewayError } from '../errors.ts'
import { type ClientSpec, specOf } from './client-specs.ts'
import { extensionNote } from './extension-manifest.ts'
import { type FileFormat, parseFile } from './parse-file.ts'
import { type EntryContext, readEntry } from './read-entry.ts'
import type { InputSpec, Note, ReadServer } from './read-server.ts'
import type { Surroundings } from './template.ts'

/** A file of a client, to be read. */
export interface ClientText {
  readonly text: string
  /** The client that owns the file: its rules apply, and those of no other. */
  readonly client: string
  readonly scope: 'user' | 'project' | 'extension'
  /** The file in messages. */
  readonly name: string
  /** Overrides the format of the client, for its files in another format. */
  readonly format?: FileFormat
  readonly surroundings: Surroundings
  readonly sources: ReferenceSources
  /** The text of another file in the same folder. */
  readonly beside?: (name: string) => string | undefined
}

/** The servers of a file, and everything about it that the user should know. */
export interface ReadFile {
  readonly servers: readonly ReadServer[]
  readonly notes: readonly Note[]
}

/** Reads the servers of a client's file. @throws GatewayError CONFIG_INVALID if the file cannot be parsed */
export function readServers(file: ClientText): ReadFile {
  const spec = specOf(file.client)
  if (spec === undefined) {
    throw new GatewayError('INVALID_ARGUMENTS', { reason: `there is no client ${JSON.stringify(file.client)}` })
  }
  const format = file.format ?? spec.format
  const value = parseFile(file.text, format, file.name)
  const top = asRecord(value)
  const notes: Note[] = [...textNotes(file.text)]
  if (file.scope === 'extension') return { servers: [], notes: [...notes, extensionNote(top)] }
  if (spec.trustsProjects === true && file.scope === 'project') notes.push({ code: 'needs-trust' })
  if (top['sandbox'] !== undefined && spec.id === 'vscode') notes.push({ code: 'sandbox-rules' })
  const context: EntryContext = {
    spec,
    surroundings: file.surroundings,
    sources: file.sources,
    isProjectFile: file.scope === 'project',
    inputs: inputsOf(top['inputs']),
  }
  const servers: ReadServer[] = []
  const add = (entries: Entries, more: Partial<ReadServer> = {}): void => {
    for (const [name, entry] of entries) {
      const read = isRecord(entry) ? readEntry(name, entry, context) : { skipped: 'not an object' }
      if ('skipped' in read) notes.push({ code: 'skipped', detail: { server: name, why: read.skipped } })
      else servers.push({ ...read.server, ...more })
    }
  }
  if (spec.id === 'claude-code' && file.scope === 'user') {
    add(Object.entries(asRecord(top['mcpServers'])), { scope: 'user' })
    for (const [project, settings] of Object.entries(asRecord(top['projects']))) {
      add(Object.entries(asRecord(asRecord(settings)['mcpServers'])), { scope: 'local', project })
    }
    return withClaudeProjects({ servers, notes }, asRecord(top['projects']))
  }
  add(entriesOf(top, spec, notes))
  return withSettings({ servers, notes }, spec, top, file)
}

type Entries = readonly (readonly [name: string, entry: unknown])[]

function* textNotes(text: string): Generator<Note> {
  if (text.startsWith('\uFEFF')) yield { code: 'byte-order-mark' }
  if (text.includes('\r\n')) yield { code: 'line-ending', detail: 'crlf' }
}

function entriesOf(top: JsonObject, spec: ClientSpec, notes: Note[]): Entries {
  const found = spec.at.reduce<unknown>((inside, key) => asRecord(inside)[key], top)
  if (Array.isArray(found)) {
    return (found as readonly unknown[]).flatMap((item): Entries => {
      const { name, uses } = asRecord(item)
      if (typeof uses === 'string') notes.push({ code: 'skipped', detail: { server: uses, why: 'hub reference' } })
      return typeof name === 'string' && uses === undefined ? [[name, item]] : []
    })
  }
  const { servers } = asRecord(found)
  if (spec.id === 'opencode' && isRecord(servers) && servers['type'] === undefined) {
    notes.push({ code: 'shape', detail: 'mcp.servers' })
    return Object.entries(servers)
  }
  // The editor moved them out of its settings.
  if (found === undefined && spec.id === 'vscode') {
    const old = asRecord(top['mcp'])['servers'] ?? top['mcpServers']
    return Object.entries(asRecord(old))
  }
  return Object.entries(asRecord(found))
}

function inputsOf(value: unknown): ReadonlyMap<string, InputSpec> {
  const list = Array.isArray(value) ? value.map(asRecord) : []
  return new Map(
    list.flatMap((input) => {
      const { id, type, password, description } = input
      if (typeof id !== 'string') return []
      const spec = {
        id,
        kind: typeof type === 'string' ? type : 'promptString',
        secret: password === true,
        ...(typeof input['default'] === 'string' && { default: input['default'] }),
        ...(typeof description === 'string' && { description }),
      }
      return [[id, spec] as const]
    }),
  )
}

/** Claude Code switches servers off per project, beside the entries. */
function withClaudeProjects({ servers, notes }: ReadFile, projects: JsonObject): ReadFile {
  const settings = Object.entries(projects).map(([project, value]) => [project, asRecord(value)] as const)
  const choices = settings.flatMap(([project, { enabledMcpjsonServers, disabledMcpjsonServers }]): Note[] => {
    const [approved, rejected] = [names(enabledMcpjsonServers), names(disabledMcpjsonServers)]
    if (approved.length + rejected.length === 0) return []
    return [{ code: 'project-file-choice', detail: { project, approved, rejected } }]
  })
  const shown = servers.map((server) => {
    const off = settings.filter(([, { disabledMcpServers }]) => names(disabledMcpServers).includes(server.name))
    const isOwn = (project: string): boolean => server.project === undefined || server.project === project
    const added = off
      .filter(([project]) => isOwn(project))
      .map(([project]): Note => ({ code: 'disabled-in-project', detail: project }))
    return { ...server, notes: [...server.notes, ...added] }
  })
  return { servers: shown, notes: [...notes, ...choices] }
}

/** Applies the settings that a client keeps beside its entries: switched-off servers, filters and time limits. */
function withSettings(read: ReadFile, spec: ClientSpec, top: JsonObject, file: ClientText): ReadFile {
  const change = SETTINGS[spec.id]
  if (change === undefined) return read
  const servers = read.servers.map((server) => {
    const { off, deny, timeoutMs } = change(server, top, file)
    const tools = deny === undefined ? server.tools : { ...server.tools, deny: deny.names }
    return {
      ...server,
      enabled: server.enabled && off === undefined,
      ...(timeoutMs !== undefined && server.timeoutMs === undefined && { timeoutMs }),
      ...(tools !== undefined && { tools }),
      notes: [
        ...server.notes,
        ...(off === undefined ? [] : [{ code: 'disabled', detail: off }]),
        ...(deny === undefined ? [] : [{ code: 'tool-filter', detail: deny.key }]),
      ],
    }
  })
  return { ...read, servers }
}

interface Settings {
  /** Where the server is switched off. */
  readonly off?: string
  readonly deny?: { readonly key: string; readonly names: readonly string[] }
  readonly timeoutMs?: number
}

type SettingsReader = (server: ReadServer, top: JsonObject, file: ClientText) => Settings

const SETTINGS: Readonly<Record<string, SettingsReader>> = {
  'gemini-cli': listedServers,
  'qwen-code': listedServers,
  'copilot-cli': ({ name }, _top, { beside }) => {
    const text = beside?.('settings.json')
    const off =
      text === undefined ? [] : names(asRecord(parseFile(text, 'jsonc', 'settings.json'))['disabledMcpServers'])
    return off.includes(name) ? { off: 'settings.json disabledMcpServers' } : {}
  },
  amp: ({ name }, top) => denied('amp.tools.disable', names(top['amp.tools.disable']), `mcp__${name}__`),
  opencode: ({ name }, top) => {
    const off = Object.entries(asRecord(top['tools'])).filter(([, value]) => value === false)
    return denied(
      'tools',
      off.map(([tool]) => tool),
      `${name}_`,
    )
  },
  zed: ({ name }, top) => {
    const seconds = top['context_server_timeout']
    const profiles = Object.entries(asRecord(asRecord(top['agent'])['profiles']))
    const found = profiles.flatMap(([profile, settings]) => {
      const { tools } = asRecord(asRecord(asRecord(settings)['context_servers'])[name])
      const off = Object.entries(asRecord(tools)).filter(([, value]) => value === false)
      return off.length === 0 ? [] : [{ key: `agent.profiles.${profile}`, names: off.map(([tool]) => tool) }]
    })
    return {
      ...(found[0] !== undefined && { deny: found[0] }),
      ...(typeof seconds === 'number' && { timeoutMs: seconds * 1000 }),
    }
  },
}

function listedServers({ name }: ReadServer, top: JsonObject): Settings {
  const { excluded, allowed } = asRecord(top['mcp'])
  if (names(excluded).includes(name)) return { off: 'mcp.excluded' }
  return Array.isArray(allowed) && !names(allowed).includes(name) ? { off: 'not in mcp.allowed' } : {}
}

function denied(key: string, tools: readonly string[], prefix: string): Settings {
  const own = tools.filter((tool) => tool.startsWith(prefix)).map((tool) => tool.slice(prefix.length))
  return own.length === 0 ? {} : { deny: { key, names: own } }
}

function names(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
}
