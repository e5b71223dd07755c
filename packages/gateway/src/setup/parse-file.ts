import { parse as parseToml, TomlError } from 'smol-toml'
import { LineCounter, parseDocument } from 'yaml'
import { readConfigText } from '../config/config-text.ts'
import { GatewayError } from '../errors.ts'

/** The format of a client's file. `json` allows no comments: the client itself refuses them. */
export type FileFormat = 'json' | 'jsonc' | 'toml' | 'yaml'

/** A larger file is not a configuration. */
export const MOST_CHARACTERS = 20_000_000

/**
 * The value of a file. An empty file counts as an empty object.
 * @param name the file in messages
 * @throws GatewayError CONFIG_INVALID with line and column
 */
export function parseFile(text: string, format: FileFormat, name: string): unknown {
  if (text.length > MOST_CHARACTERS) throw broken(name, 'is too large to be a configuration')
  const plain = text.replace(/^\uFEFF/, '')
  if (plain.trim() === '') return {}
  if (format === 'toml') return parseTomlText(plain, name)
  if (format === 'yaml') return parseYamlText(plain, name)
  const { value, problems, locate } = readConfigText(plain)
  const [first] = problems
  if (first !== undefined) {
    const { line, column } = locate(first)
    const what = first.path.length === 0 ? first.message : `${JSON.stringify(first.path.join('.'))} ${first.message}`
    throw broken(name, what, `line ${line}, column ${column}`)
  }
  if (format === 'json' && !isStrictJson(plain)) throw broken(name, 'has comments, which its client does not accept')
  return value
}

function isStrictJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function parseTomlText(text: string, name: string): unknown {
  try {
    return parseToml(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw broken(name, 'is not valid TOML')
    const [sentence = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n')
    throw broken(name, `is not valid TOML: ${sentence}`, `line ${error.line}, column ${error.column}`)
  }
}

function parseYamlText(text: string, name: string): unknown {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const [first] = document.errors
  if (first !== undefined) {
    const { line, col } = lines.linePos(first.pos[0])
    throw broken(name, `is not valid YAML: ${first.message}`, `line ${line}, column ${col}`)
  }
  // Many aliases of aliases would grow without bounds.
  return document.toJS({ maxAliasCount: 100 }) ?? {}
}

function broken(name: string, what: string, place?: string): GatewayError {
  return new GatewayError('CONFIG_INVALID', {
    file: name,
    reason: `${name}${place === undefined ? '' : `, ${place},`} ${what}`,
    remedy: 'Correct the file and try again; nothing was changed',
  })
}
