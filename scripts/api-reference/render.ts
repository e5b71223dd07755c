import { posix } from 'node:path'
import { type Declaration, type Export, readDeclarations, readExports } from './declarations.ts'

/** Gives the text of a `.d.ts` file, named from the folder of the entries: `tool-index.d.ts`. */
export type ReadDeclarationFile = (path: string) => string

/** An entry of the package, as it is imported and as it is emitted. */
export interface Entry {
  readonly specifier: string
  readonly file: string
}

/** The modules of a section of the page, in order. */
export interface Section {
  readonly title: string
  readonly modules: readonly string[]
}

const WIDTH = 120

/** An export with its declaration, and its place among the declarations of its module. */
interface Item extends Declaration {
  readonly module: string
  readonly place: number
  readonly entry: Entry
}

/**
 * The reference page: every export of the entries with its doc comment and its declaration, by section.
 * @throws Error when a module has exports and no section
 */
export function renderReference(
  entries: readonly Entry[],
  sections: readonly Section[],
  read: ReadDeclarationFile,
): string {
  const items = entries.flatMap((entry) => itemsOf(entry, read))
  const homeless = items.find(({ module }) => !sections.some(({ modules }) => modules.includes(module)))
  if (homeless !== undefined) throw new Error(`${homeless.module} exports ${homeless.name} and is in no section.`)
  const filled = sections.map(({ title, modules }) => ({
    title,
    items: modules.flatMap((module) => items.filter((item) => item.module === module).toSorted(byPlace)),
  }))
  const contents = filled
    .map((section) => wrapItem(`- **${section.title}**: ${section.items.map(linkTo).join(' · ')}`))
    .join('\n')
  const chapters = filled.map(({ title, items: own }) =>
    [`## ${title}`, ...own.map((item) => renderItem(item, item.entry !== entries[0]))].join('\n\n'),
  )
  return [contents, ...chapters].join('\n\n')
}

/** Breaks an item of a list into lines. */
function wrapItem(text: string): string {
  const lines = ['']
  for (const word of text.split(/ (?=\[)/)) {
    const line = lines.at(-1) ?? ''
    if (`${line} ${word}`.trimStart().length <= WIDTH) lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
    else lines.push(`  ${word}`)
  }
  return lines.join('\n')
}

const byPlace = (a: Item, b: Item): number => a.place - b.place

const linkTo = ({ name }: Item): string => `[${name}](#${name.toLowerCase()})`

function itemsOf(entry: Entry, read: ReadDeclarationFile): Item[] {
  const exports = readExports(read(entry.file))
  const isPublic = new Set(exports.map(({ name }) => name))
  return exports.map((exported) => ({ ...declarationOf(exported, isPublic, read), entry }))
}

function declarationOf(
  { name, from }: Export,
  isPublic: ReadonlySet<string>,
  read: ReadDeclarationFile,
): Omit<Item, 'entry'> {
  const module = posix.normalize(from.replace(/\.ts$/, ''))
  const declarations = readDeclarations(read(`${module}.d.ts`))
  const declaration = declarations.get(name)
  if (declaration === undefined) throw new Error(`${module} does not declare ${name}.`)
  const code = withInherited(declaration.code, isPublic, (base) => declarationIn(read, module, base))
  const helpers = hiddenHelpers(code, name, declarations, isPublic)
  return {
    ...declaration,
    module,
    place: [...declarations.keys()].indexOf(name),
    code: [code, ...helpers].join('\n\n'),
  }
}

/** Types of the same module that a declaration uses and that the package does not export. */
function hiddenHelpers(
  code: string,
  name: string,
  declarations: ReadonlyMap<string, Declaration>,
  isPublic: ReadonlySet<string>,
): string[] {
  return [...declarations.values()]
    .filter((other) => other.name !== name && !isPublic.has(other.name))
    .filter((other) => new RegExp(String.raw`\b${other.name}\b`).test(code))
    .map((other) => (other.doc === '' ? other.code : `/** ${other.doc} */\n${other.code}`))
}

const EXTENDS = /^class (\w+) extends (\w+)(?:<[^{]*>)?(?: implements [^{]+?)? \{/

/** Writes out a base class that the package does not export: its interfaces and members. */
function withInherited(
  code: string,
  isPublic: ReadonlySet<string>,
  find: (base: string) => Declaration | undefined,
): string {
  const [head = '', name = '', base = ''] = EXTENDS.exec(code) ?? []
  const inherited = isPublic.has(base) || head === '' ? undefined : find(base)
  if (inherited === undefined) return code
  const heritage = / implements [^{]+?(?= \{)/.exec(inherited.code)?.[0] ?? ''
  const members = inherited.code.split('\n').slice(1, -1)
  const concrete = members.filter((line) => !line.startsWith('  abstract '))
  return [`class ${name}${heritage} {`, ...code.split('\n').slice(1, -1), ...concrete, '}'].join('\n')
}

/** Looks a name up in the module that a module imports it from. */
function declarationIn(read: ReadDeclarationFile, module: string, name: string): Declaration | undefined {
  const imports = read(`${module}.d.ts`).matchAll(/^import (?:type )?\{([^}]*)\} from '([^']+)'/gm)
  for (const [, names = '', from = ''] of imports) {
    if (!names.split(',').some((each) => each.trim().replace(/^type /, '') === name)) continue
    const file = posix.join(posix.dirname(module), from.replace(/\.ts$/, '.d.ts'))
    return readDeclarations(read(file)).get(name)
  }
  return undefined
}

function renderItem({ name, doc, code, entry }: Item, isFromElsewhere: boolean): string {
  const origin = isFromElsewhere ? [`From \`${entry.specifier}\`.`] : []
  return [`### ${name}`, ...origin, renderDoc(doc), `\`\`\`ts\n${code}\n\`\`\``].join('\n\n')
}

/** Turns tags into sentences, and codes into code. */
function renderDoc(doc: string): string {
  return doc
    .replace(/\n?@throws ToolSearchError (.*?)\.?$/gm, '\n\nThrows a `ToolSearchError` $1.')
    .replace(/\n?@returns (.*?)\.?$/gm, '\n\nReturns $1.')
    .replace(/(?<![`\w])[A-Z]+_[A-Z_]+\b/g, '`$&`')
    .trim()
}
