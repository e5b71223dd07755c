import { escapeReferences, type ReferenceSources } from '../config/substitute.ts'

/** The variables that a client resolves in its file. */
export interface VariableRules {
  /** `${NAME}` */
  readonly braced?: boolean
  /** `${NAME:-default}` */
  readonly fallback?: boolean
  /** `$NAME` */
  readonly dollar?: boolean
  /** `${env:NAME}` */
  readonly env?: boolean
  /** `{env:NAME}` and `{file:path}` of opencode. */
  readonly curly?: boolean
  /** `${file:/path}` */
  readonly file?: boolean
  /** `${input:id}` */
  readonly input?: boolean
  /** `${{ secrets.NAME }}` */
  readonly secrets?: boolean
  /** `${userHome}`, `${workspaceFolder}`, `${workspaceFolderBasename}` and `${pathSeparator}`, by name. */
  readonly places?: readonly string[]
  /** What the client puts in the place of a variable that is not set. */
  readonly unset?: 'raw' | 'empty'
  /** The same within `env`, if it differs. */
  readonly unsetInEnv?: 'raw' | 'empty'
  /** Only these parts of an entry are resolved; all if absent. */
  readonly only?: readonly string[]
  /** The editor resolves variables, the command-line client does not. */
  readonly notInCommandLine?: boolean
}

/** A reference in a text of a client's file. */
export interface Reference {
  readonly kind: 'variable' | 'input' | 'file'
  readonly name: string
  /** As it is written in the file. */
  readonly raw: string
  readonly fallback?: string
  /** The effect of a missing value in the client: the text as written, nothing, or no entry at all. */
  readonly unset: 'raw' | 'empty' | 'omit'
  /** The same reference in our configuration. */
  readonly stored: string
}

/** A text of a client's file: literal parts and references. */
export type Template = readonly (string | Reference)[]

/** The surroundings of a file. */
export interface Surroundings {
  /** Unknown for a pasted text, where it stays a reference. */
  readonly home?: string
  /** The project that the file belongs to. */
  readonly workspaceFolder?: string
  /** The folder of the file, for relative paths in it. */
  readonly folder?: string
}

const FORMS = /\$\{\{\s*secrets\.([\w.-]+)\s*\}\}|\$\{([^{}]*)\}|\{(env|file):([^{}]*)\}|\$([A-Za-z_]\w*)/g
const NAME = /^[A-Za-z_]\w*$/

/** A template without references. */
export const literal = (text: string): Template => [text]

/** A reference to a variable. */
export function variable(name: string, raw: string, unset: Reference['unset'], fallback?: string): Reference {
  const rest = fallback === undefined ? { empty: ':-', omit: '?', raw: '' }[unset] : `:-${fallback}`
  return {
    kind: 'variable',
    name,
    raw,
    unset,
    ...(fallback !== undefined && { fallback }),
    stored: `\${${name}${rest}}`,
  }
}

/** Reads a text by the rules of one client. Nothing is resolved by the rules of another. */
export function readTemplate(
  text: string,
  rules: VariableRules,
  surroundings: Surroundings,
  part: string,
): { readonly template: Template; readonly looksLikeVariable: boolean } {
  const isResolved = rules.only?.includes(part) ?? true
  const unset = (part === 'env' ? rules.unsetInEnv : undefined) ?? rules.unset ?? 'raw'
  const pieces: (string | Reference)[] = []
  let looksLikeVariable = false
  let end = 0
  for (const match of text.matchAll(FORMS)) {
    const [raw, secret, braced, curly, inner, dollar] = match
    const piece = isResolved ? pieceOf() : undefined
    if (piece === undefined) {
      looksLikeVariable ||= curly === undefined
      continue
    }
    pieces.push(text.slice(end, match.index), piece)
    end = match.index + raw.length

    function pieceOf(): string | Reference | undefined {
      if (secret !== undefined) return rules.secrets === true ? variable(secret, raw, 'raw') : undefined
      if (dollar !== undefined) return rules.dollar === true ? variable(dollar, raw, unset) : undefined
      if (curly !== undefined) {
        if (rules.curly !== true) return undefined
        return curly === 'env' ? variable(inner ?? '', raw, unset) : fileReference(inner ?? '', raw, surroundings)
      }
      return bracedPiece(braced ?? '', raw, unset, rules, surroundings)
    }
  }
  pieces.push(text.slice(end))
  return { template: joined(pieces), looksLikeVariable }
}

function bracedPiece(
  inside: string,
  raw: string,
  unset: 'raw' | 'empty',
  rules: VariableRules,
  surroundings: Surroundings,
): string | Reference | undefined {
  const place = rules.places?.includes(inside) === true ? placeOf(inside, raw, surroundings) : undefined
  if (place !== undefined) return place
  const [, kind, rest = ''] = /^(env|input|file):(.*)$/.exec(inside) ?? []
  if (kind === 'env') return rules.env === true && NAME.test(rest) ? variable(rest, raw, unset) : undefined
  if (kind === 'file') return rules.file === true ? fileReference(rest, raw, surroundings) : undefined
  if (kind === 'input') {
    return rules.input === true ? { kind, name: rest, raw, unset: 'raw', stored: `\${input:${rest}}` } : undefined
  }
  const [, name, fallback] = /^([A-Za-z_]\w*):-(.*)$/.exec(inside) ?? []
  if (name !== undefined) return rules.fallback === true ? variable(name, raw, unset, fallback) : undefined
  return rules.braced === true && NAME.test(inside) ? variable(inside, raw, unset) : undefined
}

function placeOf(name: string, raw: string, { home, workspaceFolder }: Surroundings): string | Reference | undefined {
  if (name === 'userHome') return home ?? { ...variable(name, raw, 'raw'), fallback: raw }
  if (name === 'pathSeparator' || name === '/') return '/'
  if (name === 'workspaceFolderBasename') return workspaceFolder?.split('/').at(-1)
  return name === 'workspaceFolder' ? workspaceFolder : undefined
}

function fileReference(path: string, raw: string, { home, folder }: Surroundings): Reference {
  const absolute = path.startsWith('~/')
    ? `${home ?? '~'}/${path.slice(2)}`
    : path.startsWith('/') || folder === undefined
      ? path
      : `${folder}/${path.replace(/^\.\//, '')}`
  return { kind: 'file', name: absolute, raw, unset: 'raw', stored: `\${file:${absolute}}` }
}

/** The text in our configuration: references in our spelling, everything else literal. */
export function storedText(template: Template): string {
  return template.map((piece) => (typeof piece === 'string' ? escapeReferences(piece) : piece.stored)).join('')
}

/** The text that the client itself would use now; undefined if it would leave the entry out. */
export function effectiveText(
  template: Template,
  sources: Omit<ReferenceSources, 'home'> & { readonly inputs?: Readonly<Record<string, string>> },
): string | undefined {
  const texts = template.map((piece) => {
    if (typeof piece === 'string') return piece
    const value = valueOf(piece, sources)
    if (value !== undefined) return value
    return { raw: piece.raw, empty: '', omit: undefined }[piece.unset]
  })
  return texts.includes(undefined) ? undefined : texts.join('')
}

/** The value of a reference, or undefined if it has none now. */
export function valueOf(
  { kind, name, fallback }: Reference,
  sources: Omit<ReferenceSources, 'home'> & { readonly inputs?: Readonly<Record<string, string>> },
): string | undefined {
  if (kind === 'file') return sources.readFile?.(name)
  const { inputs = {}, variables } = sources
  const given = Object.hasOwn(inputs, name) ? inputs[name] : undefined
  if (kind === 'input') return given ?? fallback
  const found = given ?? (Object.hasOwn(variables, name) ? variables[name] : undefined)
  return found === '' && fallback !== undefined ? fallback : (found ?? fallback)
}

/** The references of a template. */
export function referencesOf(template: Template): readonly Reference[] {
  return template.filter((piece): piece is Reference => typeof piece !== 'string')
}

function joined(pieces: readonly (string | Reference)[]): Template {
  const merged: (string | Reference)[] = []
  for (const piece of pieces) {
    const last = merged.at(-1)
    if (typeof piece === 'string' && typeof last === 'string') merged[merged.length - 1] = last + piece
    else if (piece !== '') merged.push(piece)
  }
  return merged
}
