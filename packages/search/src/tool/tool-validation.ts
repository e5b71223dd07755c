import { ToolSearchError } from '../errors.ts'
import { isRecord } from '../is-record.ts'
import { setOwn, snapshotJson } from './json-snapshot.ts'
import { normalizeTags } from './tags.ts'
import type { IndexedTool } from './tool.ts'
import { toolIdOf } from './tool-key.ts'

const MAX_NAME_LENGTH = 256
const MAX_LABEL_LENGTH = 100

/** Data that the index adds to the tools of one server's list. */
export interface ServerContext {
  readonly namespace: string
  readonly description: string | undefined
  readonly tags: readonly string[]
}

type FieldCheck = (value: unknown) => string | undefined

const mustBeString: FieldCheck = (value) => (typeof value === 'string' ? undefined : 'must be a string')
const mustBeObject: FieldCheck = (value) => (isRecord(value) ? undefined : 'must be an object')
const mustBeList: FieldCheck = (value) => (Array.isArray(value) ? undefined : 'must be a list')

const OPTIONAL_FIELDS: ReadonlyMap<string, FieldCheck> = new Map([
  ['title', mustBeString],
  ['description', mustBeString],
  ['namespaceDescription', mustBeString],
  ['inputSchema', mustBeObject],
  ['outputSchema', mustBeObject],
  ['annotations', mustBeObject],
  ['_meta', mustBeObject],
  ['icons', mustBeList],
])

/** Fields that the index computes or checks by itself. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['id', 'name', 'namespace', 'tags'])

/**
 * Turns the input of a caller into a registered tool: checked, copied as frozen JSON data, with id and
 * normalised tags. Fields that MCP does not know are kept; a given `id` is not.
 * @param position where the tool stands in its list, to name a tool that has no usable name
 * @throws ToolSearchError INVALID_TOOL that names the tool, the field and the reason
 */
export function readTool(input: unknown, position = 0): IndexedTool {
  return guarded(position, () => {
    const source = readObject(input, position)
    const name = readName(source, position)
    const namespace = source['namespace']
    if (namespace !== undefined) checkNamespace(namespace, name)
    const tags = readTags(source['tags'], name)
    return assemble(source, { name, namespace: namespace as string | undefined, tags })
  })
}

/**
 * As `readTool`, for a tool of a server's list: namespace and description come from the context, never from the
 * server's own data; tags of both are joined, those of the tool first.
 */
export function readMcpTool(input: unknown, context: ServerContext, position = 0): IndexedTool {
  return guarded(position, () => {
    const source = readObject(input, position)
    const name = readName(source, position)
    const listed: unknown = source['tags']
    const own = Array.isArray(listed) ? listed.filter((tag) => typeof tag === 'string') : []
    const tags = normalizeTags([...own, ...context.tags])
    return assemble(source, { name, namespace: context.namespace, namespaceDescription: context.description, tags })
  })
}

/**
 * Checks a namespace: a name without colon.
 * @throws ToolSearchError INVALID_TOOL
 */
export function checkNamespace(namespace: unknown, tool = '(all)'): asserts namespace is string {
  const problem = nameProblem(namespace) ?? (String(namespace).includes(':') ? 'must not contain a colon' : undefined)
  if (problem !== undefined) throw invalidTool(tool, 'namespace', problem)
}

/** An INVALID_TOOL error; the reason is a phrase that follows the field's name. */
export function invalidTool(tool: string, field: string, problem: string, cause?: unknown): ToolSearchError {
  const label = tool.length > MAX_LABEL_LENGTH ? `${tool.slice(0, MAX_LABEL_LENGTH)}…` : tool
  const details = { tool: label, field, reason: `${field} of ${label} ${problem}` }
  return new ToolSearchError('INVALID_TOOL', details, cause === undefined ? undefined : { cause })
}

type Source = Readonly<Record<string, unknown>>

interface CheckedParts {
  readonly name: string
  readonly namespace: string | undefined
  /** Absent: taken from the source. */
  readonly namespaceDescription?: string | undefined
  readonly tags: readonly string[]
}

/** Reading an object of a caller can run its code (getters, proxies); an exception makes the tool invalid. */
function guarded(position: number, read: () => IndexedTool): IndexedTool {
  try {
    return read()
  } catch (error) {
    if (error instanceof ToolSearchError) throw error
    throw invalidTool(`#${position}`, 'tool', 'cannot be read', error)
  }
}

function readObject(input: unknown, position: number): Source {
  if (!isRecord(input)) throw invalidTool(`#${position}`, 'tool', 'must be an object')
  return input as Source
}

function readName(source: Source, position: number): string {
  const name = source['name']
  const problem = nameProblem(name)
  if (problem !== undefined)
    throw invalidTool(typeof name === 'string' && name !== '' ? name : `#${position}`, 'name', problem)
  return name as string
}

function nameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'must be a string'
  if (name.trim() === '') return 'must not be empty'
  if (name.length > MAX_NAME_LENGTH) return `must have at most ${MAX_NAME_LENGTH} characters`
  if (/[\p{Cc}\p{Cs}]/u.test(name)) return 'must not contain control characters or lone surrogates'
  return undefined
}

function readTags(tags: unknown, tool: string): readonly string[] {
  if (tags === undefined) return []
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string')) {
    throw invalidTool(tool, 'tags', 'must be a list of strings')
  }
  return normalizeTags(tags)
}

function assemble(source: Source, parts: CheckedParts): IndexedTool {
  const { name, namespace, tags } = parts
  const tool: Record<string, unknown> = { id: toolIdOf(namespace, name), name }
  if (namespace !== undefined) tool['namespace'] = namespace

  const fromServer = 'namespaceDescription' in parts
  if (parts.namespaceDescription !== undefined) tool['namespaceDescription'] = parts.namespaceDescription
  for (const field of Object.keys(source)) {
    if (OWN_FIELDS.has(field) || (fromServer && field === 'namespaceDescription')) continue
    const value = readField(source[field], field, name)
    if (value !== undefined) setOwn(tool, field, value)
  }
  if (tags.length > 0) tool['tags'] = Object.freeze(tags)
  return Object.freeze(tool) as unknown as IndexedTool
}

function readField(value: unknown, field: string, tool: string): unknown {
  if (value === undefined) return undefined
  const problem = OPTIONAL_FIELDS.get(field)?.(value)
  if (problem !== undefined) throw invalidTool(tool, field, problem)
  return snapshotJson(value, (reason) => {
    throw invalidTool(tool, field, reason)
  })
}
