import { type ParameterText, type SchemaDetail, SchemaText } from './schema-text.ts'

/** The usual length of a signature. Required parameters may take as much in every one, and more in plain types. */
const LINE = 160

/** Everything, richest first. */
const WHOLE: readonly SchemaDetail[] = [
  { depth: 8, optionalDepth: 8, enumValues: 60, noteLength: 80 },
  { depth: 8, optionalDepth: 8, enumValues: 60, noteLength: 0 },
  { depth: 8, optionalDepth: 1, enumValues: 20, noteLength: 0 },
]

/** Required parameters, from those with all required fields of theirs to those with plain types. */
const REQUIRED: readonly SchemaDetail[] = [
  { depth: 8, optionalDepth: 0, enumValues: 20, noteLength: 0 },
  { depth: 3, optionalDepth: 0, enumValues: 6, noteLength: 0 },
  { depth: 0, optionalDepth: 0, enumValues: 3, noteLength: 0 },
]
const PLAIN: SchemaDetail = { depth: 0, optionalDepth: 0, enumValues: 5, noteLength: 0 }

/** What a signature may contain. */
export interface SignatureOptions {
  /** Its length; only required parameters may exceed it. */
  readonly most?: number
  /** Whether descriptions of parameters are added if there is room. */
  readonly notes?: boolean
}

/**
 * The signature of a tool, such as `create_issue(title: string, labels?: string[])`: the whole schema if it fits. Otherwise
 * all required parameters, and as many optional ones as fit; `…` stands for the others.
 */
export function signature(
  name: string,
  inputSchema: unknown,
  { most = LINE, notes = false }: SignatureOptions = {},
): string {
  for (const detail of notes ? WHOLE : WHOLE.slice(1)) {
    const text = written(name, new SchemaText(inputSchema, detail), (parameters) => parameters.map(({ text }) => text))
    if (text.length <= most) return text
  }
  const optional = new SchemaText(inputSchema, PLAIN).parameters().filter(({ isKept }) => !isKept)
  let shortest = ''
  for (const detail of REQUIRED) {
    const kept = (parameters: readonly ParameterText[]): readonly string[] =>
      parameters.filter(({ isKept }) => isKept).map(({ text }) => text)
    const plain = written(name, new SchemaText(inputSchema, detail), kept)
    shortest = written(name, new SchemaText(inputSchema, detail), (parameters) => [
      ...kept(parameters),
      ...fitting(optional, most - plain.length),
    ])
    if (plain.length <= Math.max(most, LINE)) break
  }
  return shortest
}

function written(
  name: string,
  schema: SchemaText,
  select: (parameters: readonly ParameterText[]) => readonly string[],
): string {
  const parameters = select(schema.parameters()).join(', ')
  const alternatives = schema.alternatives().map((set) => set.join(' + '))
  const needs = alternatives.length === 0 ? '' : `; needs ${alternatives.join(' | ')}`
  const definitions = schema.definitions()
  const where = definitions.length === 0 ? '' : ` where ${definitions.join('; ')}`
  return `${name}(${parameters}${needs})${where}`
}

/** The optional parameters that fit, and the number of the others. */
function fitting(optional: readonly ParameterText[], room: number): readonly string[] {
  const texts: string[] = []
  let left = room - ', …99 optional'.length
  for (const { text } of optional) {
    left -= text.length + 2
    if (left < 0) return [...texts, `…${optional.length - texts.length} optional`]
    texts.push(text)
  }
  return texts
}
