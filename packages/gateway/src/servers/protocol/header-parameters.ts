import { isRecord } from '@tooldex/http-kit/json'
import type { RawResult, ServerRequest } from '../server.ts'

/** An argument that is repeated in the header `Mcp-Param-<header>`. */
export interface HeaderParameter {
  readonly path: readonly string[]
  readonly header: string
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const PLAIN_FIELD = /^[\t\x20-\x7e]*$/

/**
 * Arguments that a 2026-07-28 server wants repeated in headers (`x-mcp-header` in a tool's schema). They are learned
 * from the tool lists that pass by.
 */
export class HeaderParameters {
  #byTool: ReadonlyMap<string, readonly HeaderParameter[]> = new Map()

  /** Learns from a page of `tools/list`; later pages add to earlier ones. */
  learn(page: RawResult): void {
    if (!Array.isArray(page['tools'])) return
    const known = new Map(this.#byTool)
    for (const tool of page['tools']) {
      if (!isRecord(tool) || typeof tool['name'] !== 'string') continue
      const found = headerParametersIn(tool['inputSchema'])
      if (found.length > 0) known.set(tool['name'], found)
      else known.delete(tool['name'])
    }
    this.#byTool = known
  }

  /** The headers of a `tools/call`; undefined for everything else. */
  of(request: ServerRequest): Record<string, string> | undefined {
    if (request.method !== 'tools/call' || this.#byTool.size === 0) return undefined
    const parameters = this.#byTool.get(String(request.params?.['name']))
    if (parameters === undefined) return undefined
    const headers: Record<string, string> = {}
    for (const { path, header } of parameters) {
      const value = repeatedValue(request.params?.['arguments'], path)
      if (value !== undefined) headers[`Mcp-Param-${header}`] = field(value)
    }
    return headers
  }
}

/** The parameters that a tool's schema wants repeated. */
export function headerParametersIn(schema: unknown): readonly HeaderParameter[] {
  return declared(schema, [])
}

/** An argument as a header value; undefined if it is absent or of a type that is not repeated. */
export function repeatedValue(args: unknown, path: readonly string[]): string | undefined {
  const value = at(args, path)
  return isRepeatable(value) ? String(value) : undefined
}

function declared(schema: unknown, path: readonly string[]): HeaderParameter[] {
  // Real schemas do not repeat deeply nested arguments in headers.
  if (!isRecord(schema) || path.length > 8) return []
  const header = schema['x-mcp-header']
  const own = path.length > 0 && typeof header === 'string' && TOKEN.test(header) ? [{ path, header }] : []
  if (!isRecord(schema['properties'])) return own
  return [...own, ...Object.entries(schema['properties']).flatMap(([key, child]) => declared(child, [...path, key]))]
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (node, key) => (isRecord(node) && Object.hasOwn(node, key) ? node[key] : undefined),
    value,
  )
}

/** Numbers beyond the safe range would not arrive as they were sent. */
function isRepeatable(value: unknown): boolean {
  if (typeof value !== 'number') return typeof value === 'string' || typeof value === 'boolean'
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}

/** A field value as the specification encodes it: as it is if that is safe, else marked Base64. */
export function field(value: string): string {
  if (value !== '' && PLAIN_FIELD.test(value) && value === value.trim() && !value.startsWith('=?base64?')) return value
  return `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`
}

const ENCODED_FIELD = /^=\?base64\?(.*)\?=$/s
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Decodes a field value; undefined if it is marked as Base64 and is not. */
export function decodedField(text: string): string | undefined {
  const encoded = ENCODED_FIELD.exec(text)?.[1]
  if (encoded === undefined) return text
  return BASE64.test(encoded) ? Buffer.from(encoded, 'base64').toString('utf8') : undefined
}
