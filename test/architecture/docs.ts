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
