import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '@tooldex/http-kit/json'
import { GatewayError } from '../errors.ts'
import { editJson } from './edit-json.ts'
import { editToml } from './edit-toml.ts'
import { editYaml } from './edit-yaml.ts'
import { type FileFormat, parseFile } from './parse-file.ts'

/** A key of an object, the index of a list, or the item of a list that has this `name`. */
export type Step = string | number | { readonly named: string }

/** One change of a file: the value at a path; undefined removes it. Missing objects on the way are made. */
export interface Edit {
  readonly path: readonly Step[]
  readonly value: unknown
}

/** How the file ends its lines and indents. */
export interface Style {
  readonly eol: string
  readonly unit: string
}

const EDITORS = { json: editJson, jsonc: editJson, toml: editToml, yaml: editYaml } as const

/**
 * Changes a file at the given paths and nowhere else: comments, order, indentation, line endings and a byte order mark stay.
 * The result is parsed and compared with the change that was asked for; a file that cannot be changed like this is refused.
 * @throws GatewayError CONFIG_INVALID
 */
export function editText(text: string, format: FileFormat, edits: readonly Edit[], name: string): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  let plain = text.slice(mark.length)
  const before = parseFile(plain, format, name)
  if (!isRecord(before)) throw refused(name, 'is not an object of settings')
  let expected: unknown = before
  const style = styleOf(plain, format)
  for (const edit of edits) {
    const path = indexed(edit.path, expected)
    if (edit.value === undefined && valueAt(expected, path) === undefined) continue
    expected = withEdit(expected, path, edit.value)
    plain = EDITORS[format](plain, { path, value: edit.value }, style)
  }
  const result = parsedAgain(plain, format, name)
  // A table of TOML whose last entry is removed is gone.
  const pruned = edits.reduce((value, { path }) => withoutEmpty(value, path.slice(0, -1)), expected)
  if (!isSame(result, expected) && !isSame(result, pruned)) {
    throw refused(name, 'cannot be changed without touching something else')
  }
  return mark + plain
}

/** The value at a path of a parsed file. */
export function valueAt(value: unknown, path: readonly Step[]): unknown {
  return indexed(path, value).reduce<unknown>((inside, key) => {
    if (Array.isArray(inside)) return (inside as readonly unknown[])[Number(key)]
    return isRecord(inside) && Object.hasOwn(inside, key) ? inside[String(key)] : undefined
  }, value)
}

function parsedAgain(text: string, format: FileFormat, name: string): unknown {
  try {
    return parseFile(text, format, name)
  } catch {
    return undefined
  }
}

function refused(name: string, what: string): GatewayError {
  return new GatewayError('CONFIG_INVALID', {
    file: name,
    reason: `${name} ${what}`,
    remedy: 'Add the entry by hand: tooldex connect prints it',
  })
}

function styleOf(text: string, format: FileFormat): Style {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const [, indent] = /\n([ \t]+)\S/.exec(text) ?? []
  return { eol, unit: indent?.startsWith('\t') === true && format !== 'yaml' ? '\t' : (indent ?? '  ') }
}

/** Replaces names of list items by their indexes; a name that the list does not have is appended. */
function indexed(path: readonly Step[], value: unknown): (string | number)[] {
  let inside = value
  return path.map((step) => {
    let key: string | number
    if (typeof step === 'object') {
      const list: readonly unknown[] = Array.isArray(inside) ? inside : []
      const found = list.findIndex((item) => isRecord(item) && item['name'] === step.named)
      key = found < 0 ? list.length : found
    } else {
      key = step
    }
    inside = Array.isArray(inside)
      ? (inside as readonly unknown[])[Number(key)]
      : isRecord(inside) && Object.hasOwn(inside, key)
        ? inside[String(key)]
        : undefined
    return key
  })
}

function withoutEmpty(value: unknown, path: readonly Step[]): unknown {
  const found = path.length === 0 ? undefined : valueAt(value, path)
  if (!isRecord(found) || Object.keys(found).length > 0) return value
  return withoutEmpty(withEdit(value, indexed(path, value), undefined), path.slice(0, -1))
}

function withEdit(value: unknown, [key, ...rest]: readonly (string | number)[], to: unknown): unknown {
  if (key === undefined) return to
  if (typeof key === 'number') {
    const list = Array.isArray(value) ? [...(value as readonly unknown[])] : []
    if (to === undefined && rest.length === 0) list.splice(key, 1)
    else list[key] = withEdit(list[key], rest, to)
    return list
  }
  const entries = new Map(Object.entries(isRecord(value) ? value : {}))
  if (to === undefined && rest.length === 0) entries.delete(key)
  else entries.set(key, withEdit(entries.get(key), rest, to))
  return Object.fromEntries(entries)
}

/** Compares values only; TOML numbers and dates have classes of their own. */
function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(plainValue(one), plainValue(other))
}

function plainValue(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(plainValue)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainValue(each)]))
}
