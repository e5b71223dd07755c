import { posix } from 'node:path'
import type { SourceFile } from '../repository-files.ts'

const FENCE = /^(`{3,}|~{3,})[\s\S]*?^\1/gm
const LINK = /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g
const FILE_IN_BACKTICKS = /`((?:[\w@.-]+\/)+[\w.-]+\.(?:ts|mjs|js|json|jsonl|md|yml|sh))(?::\d+)?`/g
const FOLDER_IN_BACKTICKS = /`((?:packages|docs|test|scripts)\/(?:[\w.-]+\/)*)`/g
const HEADING = /^#{1,6}\s+(.+)$/gm

/** Links and paths in a document that lead nowhere. `paths` are all files and folders of the repository. */
export function deadPaths(
  document: SourceFile,
  paths: ReadonlySet<string>,
  documents: readonly SourceFile[],
): string[] {
  const prose = document.text.replace(FENCE, '')
  return [
    ...[...prose.matchAll(LINK)].flatMap(([, target = '']) => deadLink(document, target, paths, documents)),
    ...[...prose.matchAll(FILE_IN_BACKTICKS), ...prose.matchAll(FOLDER_IN_BACKTICKS)]
      .map(([, path = '']) => path)
      .filter((path) => !candidates(document, path).some((each) => paths.has(each)))
      .map((path) => `${document.path} names ${path}, which does not exist`),
  ]
}

// The formatter writes emphasis with underscores.
const NAMED_TEST = /\[[^\]]+\]\(([^)\s]+)\) (?:[“*]([^”*]+)[”*]|_(.+?)_(?=,| *\|))/g

/** Tests that a document names, `[file](path) “title”`, and that do not exist; and rows of its tables that name none. */
export function missingTests(document: SourceFile, files: readonly SourceFile[]): string[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const rows = document.text.split('\n').filter((line) => /^\|(?! -|-| Threat)/.test(line))
  return [
    ...[...document.text.matchAll(NAMED_TEST)]
      .map(([, path = '', quoted = '', title = quoted]) => ({ path, title }))
      .filter(({ path, title }) => texts.get(path)?.includes(title) !== true)
      .map(({ path, title }) => `${document.path} names the test "${title}" of ${path}, which does not exist`),
    ...rows
      .filter((row) => row.match(NAMED_TEST) === null)
      .map((row) => `${document.path} names no test in the row ${row.slice(0, 60)}`),
  ]
}

function deadLink(
  document: SourceFile,
  target: string,
  paths: ReadonlySet<string>,
  documents: readonly SourceFile[],
): string[] {
  if (/^[a-z]+:/i.test(target)) return []
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? document.path : normalise(posix.join(posix.dirname(document.path), path))
  if (file !== '' && !paths.has(file)) return [`${document.path} links to ${target}, which does not exist`]
  const page = documents.find((each) => each.path === file)
  if (anchor === undefined || page === undefined || anchorsOf(page).has(anchor)) return []
  return [`${document.path} links to ${target}, but that page has no such heading`]
}

/** A path in backticks counts from the top folder, from the document, or from the sources of the document's package. */
function candidates(document: SourceFile, path: string): string[] {
  const folder = posix.dirname(document.path)
  return [path, posix.join(folder, path), posix.join(folder, 'src', path)].map(normalise)
}

const normalise = (path: string): string => posix.normalize(path).replace(/\/$/, '').replace(/^\.$/, '')

/** The anchors that headings get where the documents are read. */
function anchorsOf(document: SourceFile): Set<string> {
  const headings = [...document.text.replace(FENCE, '').matchAll(HEADING)].map(([, heading = '']) => heading)
  return new Set(
    headings.map((heading) =>
      heading
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  )
}

const FOLDER = /[\w-]+\/(?:\{[\w,-]+\}\/|src\/)?/g

/**
 * Compares the tree in a document's first block of code with folders. A line's indentation says what it is part of; folders that
 * follow the first one of a line lie inside it, unless the line names nothing but folders.
 */
export function foldersInTree(
  document: string,
  folders: ReadonlySet<string>,
): { readonly missing: readonly string[]; readonly unknown: readonly string[] } {
  const shown = new Set<string>()
  const parents: { readonly indent: number; readonly path: string }[] = []
  for (const line of (/^```\n([\s\S]*?)^```/m.exec(document)?.[1] ?? '').split('\n')) {
    const indent = line.search(/\S/)
    while ((parents.at(-1)?.indent ?? -1) >= indent && parents.length > 0) parents.pop()
    const above = parents.at(-1)?.path ?? ''
    const names = [...line.matchAll(FOLDER)].flatMap(([name]) => expanded(name.replace(/\/$/, '')))
    const isList = !/\S {2,}[^\s/]+ |\/ {3,}/.test(line)
    const [first = ''] = names
    for (const name of names) shown.add(above + (isList || name === first ? '' : `${first}/`) + name)
    parents.push({ indent, path: `${above}${first}/` })
  }
  return {
    missing: [...folders].filter((folder) => !shown.has(folder)),
    unknown: [...shown].filter((path) => ![...folders].some((folder) => `${folder}/`.startsWith(`${path}/`))),
  }
}

/** `a/{b,c}` stands for `a`, `a/b` and `a/c`. */
function expanded(name: string): string[] {
  const [, folder, inside] = /^(.*?)\/\{(.*)\}$/.exec(name) ?? []
  if (folder === undefined || inside === undefined) return [name]
  return [folder, ...inside.split(',').map((each) => `${folder}/${each}`)]
}
