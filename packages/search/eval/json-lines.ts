import { isRecord } from '../src/is-record.ts'
import { InputError } from './input-error.ts'

/** Splits a JSON Lines text into rows; blank lines are skipped. */
export function readJsonLines(file: string, text: string): readonly Row[] {
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [new Row(file, index + 1, line)]))
}

/** One object of a JSON Lines file; reading a field of the wrong type names the file, the line and the field. */
export class Row {
  readonly #place: string
  readonly #fields: ReadonlyMap<string, unknown>

  constructor(file: string, line: number, text: string) {
    this.#place = `${file}:${line}`
    this.#fields = new Map(Object.entries(this.#parse(text)))
  }

  string(field: string): string {
    const value = this.optionalString(field)
    if (value === undefined || value === '') throw this.problem(`${field} is missing`, `Add ${field} as a string.`)
    return value
  }

  optionalString(field: string): string | undefined {
    const value = this.#fields.get(field) ?? undefined
    if (value === undefined || typeof value === 'string') return value
    throw this.problem(`${field} is not a string`, `Make ${field} a string.`)
  }

  boolean(field: string): boolean {
    const value = this.#fields.get(field)
    if (typeof value === 'boolean') return value
    throw this.problem(`${field} is not true or false`, `Make ${field} true or false.`)
  }

  /** One string, or a list of at least one. */
  strings(field: string): readonly string[] {
    const value = this.#fields.get(field)
    const list: readonly unknown[] = Array.isArray(value) ? value : [value]
    if (list.length > 0 && list.every((item) => typeof item === 'string')) return list
    throw this.problem(`${field} is not a list of strings`, `Make ${field} a list of at least one string.`)
  }

  optionalObject(field: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.#fields.get(field) ?? undefined
    if (value === undefined || isRecord(value)) return value
    throw this.problem(`${field} is not an object`, `Make ${field} a JSON object.`)
  }

  /** The error to throw about this row. */
  problem(what: string, remedy: string, options?: ErrorOptions): InputError {
    return new InputError(`${this.#place}: ${what}. ${remedy}`, options)
  }

  #parse(text: string): Readonly<Record<string, unknown>> {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (cause) {
      throw this.problem('is not valid JSON', 'Each line must be one whole JSON object.', { cause })
    }
    if (isRecord(value)) return value
    throw this.problem('is not a JSON object', 'Each line must be one whole JSON object.')
  }
}
