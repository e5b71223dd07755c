import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A text file of this repository. */
export interface SourceFile {
  /** From the top folder, with `/`. */
  readonly path: string
  readonly text: string
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const NOT_OURS = new Set(['node_modules', '.git', 'dist', 'coverage', '.tooldex'])

/** The files of the repository whose path is accepted, in order of path. */
export function repositoryFiles(wanted: (path: string) => boolean): SourceFile[] {
  return pathsUnder('')
    .filter(wanted)
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
}

/** Every file and folder of the repository, from the top folder, in order. */
export function repositoryPaths(): string[] {
  return pathsUnder('', true)
}

function pathsUnder(folder: string, withFolders = false): string[] {
  const paths: string[] = []
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    if (NOT_OURS.has(entry.name)) continue
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isFile() || withFolders) paths.push(path)
    if (entry.isDirectory()) paths.push(...pathsUnder(path, withFolders))
  }
  return paths.toSorted()
}

/** Whether a path is a test or a contract that tests share. */
export const isTest = (path: string): boolean => /\.(?:test|case)\.ts$/.test(path)
