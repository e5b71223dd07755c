import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRecord } from '@tooldex/http-kit/json'
import { parse, type ParseError, printParseErrorCode } from 'jsonc-parser'
import { GatewayError } from '../../errors.ts'
import type { ScannedServer } from '../../trust/scanner/scan-servers.ts'

type Definition = Readonly<Record<string, unknown>>

/** What a file has to scan: definitions, or a configuration of servers that have to be asked. */
export interface ScanFile {
  readonly servers: readonly ScannedServer[]
  /** The path, if the file is a configuration. */
  readonly config?: string
}

/** Larger files are refused: they are no lists of tools. */
const MOST_BYTES = 256 * 1024 * 1024

/**
 * Reads a file: the answer to `tools/list` in any wrapping, a list of tools, one tool, lines with a tool each, or a
 * configuration with `mcpServers`.
 * @throws GatewayError INVALID_ARGUMENTS that names the file and the line
 */
export function readScanFile(shown: string, path: string): ScanFile {
  const text = textOf(shown, path)
  const errors: ParseError[] = []
  const whole: unknown = parse(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error === undefined) return fromValue(whole, shown, path)
  if (looksLikeLines(text)) return { servers: linesOf(text, shown) }
  const line = text.slice(0, error.offset).split('\n').length
  throw invalid(`${shown} is neither JSON nor lines of JSON (line ${line}: ${printParseErrorCode(error.error)})`)
}

function textOf(shown: string, path: string): string {
  try {
    const bytes = readFileSync(path)
    if (bytes.length > MOST_BYTES) throw invalid(`${shown} is larger than ${MOST_BYTES / 1024 / 1024} MB`)
    return bytes.toString('utf8').replace(/^\ufeff/u, '')
  } catch (error) {
    if (error instanceof GatewayError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw invalid(`${shown} cannot be read (${code ?? 'unknown reason'})`)
  }
}

function fromValue(value: unknown, shown: string, path: string): ScanFile {
  if (
    isRecord(value) &&
    (isRecord(value['mcpServers']) || (isRecord(value['servers']) && !Array.isArray(value['tools'])))
  ) {
    return { servers: [], config: path }
  }
  // Answers of the protocol wrap the list in a result.
  const inner = isRecord(value) && isRecord(value['result']) ? value['result'] : value
  if (Array.isArray(inner)) return { servers: [{ id: shown, tools: definitions(inner, shown) }] }
  if (
    isRecord(inner) &&
    (Array.isArray(inner['tools']) ||
      typeof inner['instructions'] === 'string' ||
      Array.isArray(inner['prompts']) ||
      Array.isArray(inner['resources']))
  ) {
    const list = (key: string): Definition[] => definitions(Array.isArray(inner[key]) ? inner[key] : [], shown)
    const { instructions } = inner
    return {
      servers: [
        {
          id: shown,
          ...(typeof instructions === 'string' && { instructions }),
          tools: list('tools'),
          prompts: list('prompts'),
          resources: list('resources'),
          resourceTemplates: list('resourceTemplates'),
        },
      ],
    }
  }
  if (isRecord(inner)) return { servers: [{ id: shown, tools: definitions([inner], shown) }] }
  throw nothingIn(shown)
}

function looksLikeLines(text: string): boolean {
  const first = text.split('\n', 20).find((line) => line.trim() !== '')
  return first !== undefined && isJson(first)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Lines may name the server of their tool. */
function linesOf(text: string, shown: string): ScannedServer[] {
  const values = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    if (!isJson(line)) throw invalid(`line ${index + 1} of ${shown} is not JSON`)
    return [JSON.parse(line) as unknown]
  })
  const serverOf = (value: unknown): string =>
    isRecord(value) && typeof value['server'] === 'string' ? value['server'] : shown
  return [...Map.groupBy(values, serverOf)].map(([id, each]) => ({ id, tools: definitions(each, shown) }))
}

/** Tools, or records that have one. */
function definitions(values: readonly unknown[], shown: string): Definition[] {
  return values.map((value) => {
    const definition = isRecord(value) && isRecord(value['tool']) ? value['tool'] : value
    const isDefinition =
      isRecord(definition) && ['name', 'uri', 'uriTemplate'].some((key) => typeof definition[key] === 'string')
    if (!isDefinition) throw nothingIn(shown)
    return definition
  })
}

function nothingIn(shown: string): GatewayError {
  return invalid(
    `${shown} has something else than tools`,
    'Give a list of tools as `tools/list` answers it, one tool a line, or a configuration with mcpServers',
  )
}

function invalid(reason: string, remedy?: string): GatewayError {
  return new GatewayError('INVALID_ARGUMENTS', { reason, ...(remedy !== undefined && { remedy }) })
}

/** Uses a folder that is removed afterwards. */
export async function withTemporaryFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'tooldex-scan-'))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
