/** Reads the declaration files that the compiler emits. Their layout is regular, so that reading lines is enough. */

/** A declaration at the top level of a module. */
export interface Declaration {
  readonly name: string
  /** The text of its doc comment, without comment signs; empty where there is none. */
  readonly doc: string
  /** The declaration itself, without `export` and `declare`. */
  readonly code: string
}

const COMMENT = /^\/\*\*[\s\S]*?\*\/\n/
const NAME = /^(?:abstract )?(?:class|interface|function|const|type) (\w+)/

/** The declarations of a `.d.ts` text by name, exported or not. */
export function readDeclarations(text: string): ReadonlyMap<string, Declaration> {
  const found = new Map<string, Declaration>()
  const prefixes = [...text.matchAll(/^import type \* as (\w+)/gm)].map(([, name]) => `${name}.`)
  for (const block of topLevelBlocks(text)) {
    const comment = COMMENT.exec(block)?.[0] ?? ''
    const code = tidy(prefixes.reduce((rest, prefix) => rest.replaceAll(prefix, ''), block.slice(comment.length)))
    const name = NAME.exec(code)?.[1]
    if (name !== undefined) found.set(name, { name, doc: docText(comment), code })
  }
  return found
}

/** A block is a doc comment and what it documents: it ends where the next line at the margin begins another. */
function topLevelBlocks(text: string): string[] {
  const blocks: string[] = []
  let isAfterComment = false
  for (const line of text.split('\n')) {
    const begins = /^(?:\/\*\*|(?:export|declare|import|interface|type) )/.test(line)
    if (begins && !isAfterComment) blocks.push('')
    if (blocks.length > 0) blocks[blocks.length - 1] += `${line}\n`
    if (/^(?:\/\*\*.*| )\*\/$/.test(line)) isAfterComment = true
    else if (begins) isAfterComment = false
  }
  return blocks
}

/** In the style of this repository: two spaces, no semicolons, no private members. */
function tidy(code: string): string {
  const lines = withoutHidden(code.replace(/^export /, '').replace(/^declare /, ''))
    .trim()
    .split('\n')
  const tidied = lines
    .map((line) =>
      line
        .replace(/^(?: {4})+/, halved)
        .replace(/;$/, '')
        .replace(/= "(\w+)"$/, "= '$1'"),
    )
    .join('\n')
    .replace(/\{\n\}$/, '{}')
  // An empty line between members with long comments.
  return /^ {2}\/\*\*$/m.test(tidied) ? tidied.replace(/(?<!\{)\n(?= {2}\/\*\*)/g, '\n\n') : tidied
}

const halved = (indent: string): string => ' '.repeat(indent.length / 2)

/** Drops members that callers cannot use, with their comments. */
function withoutHidden(code: string): string {
  return code.replace(/^ {4}(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n {4})?(?:#private|private |protected ).*\n/gm, '')
}

function docText(comment: string): string {
  return comment
    .replace(/^\/\*\* ?\n?| ?\*\/\n$/g, '')
    .split('\n')
    .map((line) => line.replace(/^ \* ?/, ''))
    .join('\n')
    .trim()
}

/** An export of an entry module: its name there, and the module that declares it. */
export interface Export {
  readonly name: string
  /** As in the entry: `./tool-index.ts`. */
  readonly from: string
}

/** The exports of an entry module that does nothing but re-export. */
export function readExports(text: string): readonly Export[] {
  return [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== '')
      .map((name) => ({ name, from })),
  )
}
