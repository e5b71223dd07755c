import { checkConfig, configJsonSchema, type ConfigProblem, placeOf, type ServerConfig } from '@tooldex/contract'
import type { ServerPreview } from '@tooldex/contract/admin'
import type { JsonObject } from '@tooldex/http-kit/json'
import { type Location, readConfigText } from '../../config/config-text.ts'
import { asRecord } from '../../config/merge-config.ts'
import { serverDefinition } from '../../config/to-model.ts'
import type { ConfiguredEntries } from '../changes/configured-entries.ts'
import { invalidField } from '../changes/invalid-request.ts'
import { maskArguments, maskUrl } from '../../model/server-secrets.ts'

type Previewed = ServerPreview['items'][number]

const VARIABLE = /\$\{(?:env:|input:)?([^}:]+)(?::-[^}]*)?\}/g
const LONGEST_COMMAND = 500

/** Previews the servers of a pasted configuration, without storing or starting them. @throws InvalidRequest */
export function previewPasted(text: string, entries: ConfiguredEntries): ServerPreview {
  const { value, problems, locate } = readConfigText(text)
  const [first] = problems
  if (first !== undefined) throw invalidField('text', `${placeIn(locate(first))}: ${first.message}`)
  const servers = serversIn(value)
  const known = new Set(entries.servers().map(({ id }) => id.toLowerCase()))
  return { items: Object.entries(servers).map(([id, server]) => previewOne(id, asRecord(server), known)) }
}

function placeIn({ line, column }: Location): string {
  return `line ${line}, column ${column}`
}

/** Finds servers under `mcpServers`, under `servers` or `mcp.servers` (VS Code), and in parts of such files. */
function serversIn(value: unknown): JsonObject {
  const top = asRecord(value)
  const inside = top['mcpServers'] ?? top['servers'] ?? asRecord(top['mcp'])['servers']
  if (inside !== undefined) return asRecord(inside)
  if (typeof top['command'] === 'string' || typeof top['url'] === 'string') return { [nameFor(top)]: top }
  const isMap = Object.values(top).some((each) => {
    const { command, url } = asRecord(each)
    return typeof command === 'string' || typeof url === 'string'
  })
  if (isMap) return top
  throw invalidField('text', 'has no servers: expected { "mcpServers": { … } }')
}

function previewOne(id: string, pasted: JsonObject, known: ReadonlySet<string>): Previewed {
  const keys = serverKeys()
  const ignoredKeys = Object.keys(pasted).filter((key) => !keys.has(key))
  const entry = Object.fromEntries(Object.entries(pasted).filter(([key]) => keys.has(key)))
  const checked = checkConfig({ mcpServers: { [id]: entry } })
  const problems: ConfigProblem[] = checked.problems.map((each) => ({ ...each, path: each.path.slice(2) }))
  const isNew = !known.has(id.toLowerCase())
  if (!isNew) problems.push({ path: [], message: `a server called ${JSON.stringify(id)} already exists` })
  const config = checked.config?.mcpServers?.[id]
  return {
    id,
    isNew,
    ...(config !== undefined && shownTarget(id, config)),
    variables: [...Object.keys(asRecord(entry['env'])), ...Object.keys(asRecord(entry['headers']))],
    missingVariables: variablesIn(entry),
    ignoredKeys,
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

/** The keys that a server may have. */
function serverKeys(): ReadonlySet<string> {
  const servers = configJsonSchema().properties?.['mcpServers']?.additionalProperties
  return new Set(Object.keys((typeof servers === 'object' ? servers.properties : undefined) ?? {}))
}

function variablesIn(entry: JsonObject): string[] {
  const names = [...JSON.stringify(entry).matchAll(VARIABLE)].map(([, name]) => name ?? '')
  return [...new Set(names)]
}

function nameFor({ command, url, args }: JsonObject): string {
  if (typeof url === 'string' && URL.canParse(url)) return new URL(url).hostname.split('.').at(-2) ?? 'server'
  const words = [command, ...(Array.isArray(args) ? args : [])].filter(
    (word): word is string => typeof word === 'string',
  )
  const plain = words.findLast((word) => /^[@\w][\w./@-]*$/.test(word)) ?? 'server'
  return (plain.split('/').at(-1) ?? plain).replace(/@.*$/, '').replace(/\.\w+$/, '') || 'server'
}
