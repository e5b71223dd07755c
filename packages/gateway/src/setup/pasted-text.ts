import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import { readConfigText } from '../config/config-text.ts'
import { asRecord } from '../config/merge-config.ts'
import { GatewayError } from '../errors.ts'
import { parseFile } from './parse-file.ts'
import type { ClientText } from './read-servers.ts'

/** The client of a text whose file is not known, and the text in the shape of that client's file. */
export type DetectedText = Pick<ClientText, 'client' | 'text' | 'format'>

/**
 * Finds the client of a pasted text by the keys that only its files have. Other texts are read by rules that most clients
 * share: `{ "mcpServers": … }`, `{ "servers": … }`, their inner object, or one entry.
 * @throws GatewayError CONFIG_INVALID if it is neither JSON, TOML nor YAML, or has no servers
 */
export function detectClient(text: string, name = 'the text'): DetectedText {
  const found =
    /^\s*[{[]\s*(?:["}/]|$)/m.test(text) && !/^\s*\[[\w."-]+\]\s*(?:#.*)?$/m.test(text)
      ? inJson(text, name)
      : inOther(text, name)
  if (found !== undefined) return found
  throw new GatewayError('CONFIG_INVALID', {
    reason: `${name} has no servers: expected { "mcpServers": { … } }, or the file of a client`,
  })
}

function inOther(text: string, name: string): DetectedText | undefined {
  const isToml = /^\s*\[?\[?[\w."-]*mcp_servers/m.test(text)
  if (isToml)
    return isRecord(asRecord(parseFile(text, 'toml', name))['mcp_servers']) ? { client: 'codex', text } : undefined
  if (/^\s*[{[]/.test(text) || !/^[\w"-]+:/m.test(text)) return inJson(text, name)
  const top = asRecord(parseFile(text, 'yaml', name))
  if (isRecord(top['extensions'])) return { client: 'goose', text }
  return Array.isArray(top['mcpServers']) ? { client: 'continue', text } : inValue(top)
}

function inJson(text: string, name: string): DetectedText | undefined {
  const { value, problems, locate } = readConfigText(text)
  const [first] = problems
  if (first !== undefined) {
    const { line, column } = locate(first)
    throw new GatewayError('CONFIG_INVALID', { file: name, reason: `line ${line}, column ${column}: ${first.message}` })
  }
  const top = asRecord(value)
  if (isRecord(top['context_servers'])) return { client: 'zed', text }
  if (isRecord(top['amp.mcpServers'])) return { client: 'amp', text }
  if (isOpencode(top['mcp'])) return { client: 'opencode', text }
  if (isRecord(top['servers']) && Array.isArray(top['inputs'])) return { client: 'vscode', text }
  const servers = Object.values(asRecord(top['mcpServers'])).map(asRecord)
  if (servers.some(({ httpUrl }) => httpUrl !== undefined)) return { client: 'gemini-cli', text }
  if (servers.some(({ serverUrl }) => serverUrl !== undefined)) return { client: 'windsurf', text }
  if (servers.length > 0 && isRecord(top['mcpServers'])) return { client: 'other', text }
  return inValue(top)
}

/** Servers in another place than under `mcpServers`, moved there. */
function inValue(top: JsonObject): DetectedText | undefined {
  const inside = top['mcpServers'] ?? top['servers'] ?? asRecord(top['mcp'])['servers']
  const servers = isRecord(inside) ? inside : isEntry(top) ? { [nameFor(top)]: top } : hasEntries(top) ? top : undefined
  return servers === undefined ? undefined : { client: 'other', text: JSON.stringify({ mcpServers: servers }) }
}

function isOpencode(value: unknown): boolean {
  const entries = Object.values({ ...asRecord(value), ...asRecord(asRecord(value)['servers']) }).map(asRecord)
  return entries.some(({ type }) => type === 'local' || type === 'remote')
}

const isEntry = ({ command, url, httpUrl, serverUrl }: JsonObject): boolean =>
  [command, url, httpUrl, serverUrl].some((each) => typeof each === 'string')
const hasEntries = (top: JsonObject): boolean => Object.values(top).some((each) => isEntry(asRecord(each)))

/** A name for an entry that has none: the host, or the program. */
function nameFor({ command, url, args }: JsonObject): string {
  if (typeof url === 'string' && URL.canParse(url)) return new URL(url).hostname.split('.').at(-2) ?? 'server'
  const words = [command, ...(Array.isArray(args) ? args : [])].filter(
    (word): word is string => typeof word === 'string',
  )
  const plain = words.findLast((word) => /^[@\w][\w./@-]*$/.test(word)) ?? 'server'
  return (plain.split('/').at(-1) ?? plain).replace(/@.*$/, '').replace(/\.\w+$/, '') || 'server'
}
