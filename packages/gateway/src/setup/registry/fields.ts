import type { RegistryInput } from '@tooldex/contract/admin'
import { escapeReferences } from '../../config/substitute.ts'
import type { JsonArgument, JsonInput, JsonNamedInput } from './server-json.ts'

/** Why a package or address of an entry cannot be used. */
export class Unusable extends Error {
  override readonly name = 'Unusable'
}

/** A text with gaps; an input fills each. */
export type Field = readonly (string | { readonly input: string })[]

/** One argument of a command line, with the flag before it. */
export interface Argument {
  readonly flag?: string
  /** Absent for a flag without a value. */
  readonly field?: Field
  /** The flag is given if this input is true. */
  readonly onlyIf?: string
}

const KEY = /^[A-Za-z0-9_.-]{1,64}$/
const MOST_INPUTS = 64
const GAP = /\{([A-Za-z0-9_.-]{1,64})\}/g

/** Collects the inputs of a way while its texts are read. */
export class Inputs {
  readonly #byKey = new Map<string, RegistryInput>()

  get all(): readonly RegistryInput[] {
    return [...this.#byKey.values()]
  }

  /** A header or an environment variable. */
  named({ name, ...input }: JsonNamedInput): Field {
    return this.#field(name, input)
  }

  argument(argument: JsonArgument): Argument {
    const { type, name, valueHint, value, format, isRepeated } = argument
    if (type === 'positional') {
      const key = valueHint ?? name ?? `argument${this.#byKey.size + 1}`
      return { field: this.#field(key, argument, isRepeated) }
    }
    if (name === undefined || !/^-{1,2}[A-Za-z0-9]/.test(name)) throw new Unusable(`has the flag "${name ?? ''}"`)
    const key = valueHint ?? name.replace(/^-+/, '')
    if (value === undefined && format === 'boolean') return { flag: name, onlyIf: this.#take(key, argument, false) }
    if (value === '') return { flag: name }
    return { flag: name, field: this.#field(key, argument, isRepeated) }
  }

  /** A text with `{gaps}`; names that are no variable stay as they are. */
  template(text: string, variables: Readonly<Record<string, JsonInput>>, isRepeated = false): Field {
    const known = new Map(Object.entries(variables))
    const parts: (string | { input: string })[] = []
    let end = 0
    for (const gap of text.matchAll(GAP)) {
      const [whole, name = ''] = gap
      const variable = known.get(name)
      if (variable === undefined) continue
      parts.push(text.slice(end, gap.index))
      parts.push(variable.value ?? { input: this.#take(name, variable, isRepeated) })
      end = gap.index + whole.length
    }
    return [...parts, text.slice(end)].filter((part) => part !== '')
  }

  #field(key: string, input: Omit<JsonNamedInput, 'name'>, isRepeated = false): Field {
    if (input.value === undefined) return [{ input: this.#take(key, input, isRepeated) }]
    return this.template(input.value, input.variables, isRepeated)
  }

  #take(key: string, input: JsonInput, isRepeated: boolean): string {
    if (!KEY.test(key)) throw new Unusable('has an input whose name is not valid')
    const before = this.#byKey.get(key)
    if (before === undefined && this.#byKey.size === MOST_INPUTS)
      throw new Unusable(`has more than ${MOST_INPUTS} inputs`)
    const { description, isRequired, isSecret, format, placeholder, choices } = input
    // Two places may share an input: it is as strict as the stricter one.
    this.#byKey.set(key, {
      key,
      ...(description !== undefined && { description }),
      isRequired: isRequired || before?.isRequired === true,
      isSecret: isSecret || before?.isSecret === true,
      isRepeated: isRepeated && !isSecret,
      format,
      ...(input.default !== undefined && { default: input.default }),
      ...(placeholder !== undefined && { placeholder }),
      ...(choices !== undefined && choices.length > 0 && { choices }),
    })
    return key
  }
}

/** A field as people read it: inputs as `<key>`. */
export const shownField = (field: Field): string =>
  field.map((part) => (typeof part === 'string' ? part : `<${part.input}>`)).join('')

/** Whether the registry alone decides the text of a field. */
export function isFixed(field: Field, inputs: readonly RegistryInput[]): boolean {
  const open = field.filter((part) => typeof part !== 'string').map(({ input }) => input)
  return open.every((key) => inputs.find((input) => input.key === key)?.default !== undefined)
}

/** A wrong value. */
export interface ValueProblem {
  readonly path: readonly string[]
  readonly message: string
}

/**
 * The values of a way's inputs: given ones, else defaults. Texts refer to secrets and to missing values as `${input:key}`;
 * all other texts are escaped, so that a registry cannot refer to variables of this machine.
 */
export class Values {
  readonly problems: readonly ValueProblem[]
  readonly #values: ReadonlyMap<string, string>
  readonly #inputs: ReadonlyMap<string, RegistryInput>
  readonly #missing = new Set<string>()
  readonly #secrets = new Map<string, string>()

  constructor(inputs: readonly RegistryInput[], given: Readonly<Record<string, string>>) {
    this.#inputs = new Map(inputs.map((input) => [input.key, input]))
    const named = Object.entries(given).filter(([, value]) => value !== '')
    this.problems = named.flatMap(([key, value]) => {
      const message = problemOf(this.#inputs.get(key), value, [...this.#inputs.keys()])
      return message === undefined ? [] : [{ path: ['values', key], message }]
    })
    const defaults = inputs.flatMap(({ key, default: value }) => (value === undefined ? [] : [[key, value] as const]))
    this.#values = new Map([...defaults, ...named])
  }

  /** Keys of required inputs without a value, of the fields that were filled. */
  get missing(): readonly string[] {
    return [...this.#missing]
  }

  /** The secrets that the filled fields refer to. */
  get secrets(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#secrets)
  }

  /** The texts of a field: none if an optional input has no value, several if one is repeated. */
  fill(field: Field): readonly string[] {
    const alternatives = field.reduce<readonly Piece[][]>(
      (before, part) => {
        const pieces = typeof part === 'string' ? [part] : this.#pieces(part.input)
        return before.flatMap((each) => pieces.map((piece) => [...each, piece]))
      },
      [[]],
    )
    return alternatives.map((pieces) => this.#textOf(pieces))
  }

  /** The text of a field as it will be used; undefined while a value is missing. */
  plain(field: Field): string | undefined {
    const texts = field.map((part) => (typeof part === 'string' ? part : this.#values.get(part.input)))
    return texts.includes(undefined) ? undefined : texts.join('')
  }

  isTrue(key: string): boolean {
    return this.#values.get(key)?.toLowerCase() === 'true'
  }

  #pieces(key: string): readonly Piece[] {
    const input = this.#inputs.get(key)
    const value = this.#values.get(key)
    if (value === undefined) {
      if (input?.isRequired !== true) return []
      this.#missing.add(key)
      return [{ input: key }]
    }
    if (input?.isSecret === true) {
      this.#secrets.set(key, value)
      return [{ input: key }]
    }
    return input?.isRepeated === true ? value.split('\n').filter((line) => line !== '') : [value]
  }

  /** Escapes whole stretches of text, because `$` and `{` of two neighbours would be a reference, too. */
  #textOf(pieces: readonly Piece[]): string {
    let text = ''
    let stretch = ''
    for (const piece of pieces) {
      if (typeof piece === 'string') {
        stretch += piece
        continue
      }
      // `$` before a reference would escape it, so that the value itself takes its place.
      if (stretch.endsWith('$')) {
        stretch += this.#values.get(piece.input) ?? ''
        continue
      }
      text += `${escapeReferences(stretch)}\${input:${piece.input}}`
      stretch = ''
    }
    return text + escapeReferences(stretch)
  }
}

/** Text, or the input whose value is referred to. */
type Piece = string | { readonly input: string }

function problemOf(input: RegistryInput | undefined, value: string, known: readonly string[]): string | undefined {
  if (input === undefined)
    return `is not an input of this server; it takes ${known.length === 0 ? 'none' : known.join(', ')}`
  const { choices, format, isRepeated } = input
  const lines = isRepeated ? value.split('\n') : [value]
  // oxlint-disable-next-line no-control-regex -- control characters are what it refuses
  if (lines.some((line) => /[\u0000-\u001f\u007f]/.test(line))) return 'must not have line breaks or control characters'
  if (choices !== undefined && lines.some((line) => !choices.includes(line)))
    return `must be one of ${choices.join(', ')}`
  if (format === 'number' && lines.some((line) => line.trim() === '' || !Number.isFinite(Number(line))))
    return 'must be a number'
  if (format === 'boolean' && !/^(?:true|false)$/i.test(value)) return 'must be true or false'
  return undefined
}
