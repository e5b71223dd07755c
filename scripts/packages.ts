import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The top folder of this repository. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The folders of the workspace's packages, from the top folder, each after its dependencies. */
export function packageFolders(): string[] {
  const folders = readdirSync(join(ROOT, 'packages'))
    .toSorted()
    .map((name) => join('packages', name))
    .filter((folder) => existsSync(join(ROOT, folder, 'package.json')))
  const byName = new Map(folders.map((folder) => [manifestOf(folder).name, folder]))
  const ordered = new Set<string>()
  const add = (folder: string): void => {
    const { dependencies, devDependencies } = manifestOf(folder)
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      const needed = byName.get(name)
      if (needed !== undefined) add(needed)
    }
    ordered.add(folder)
  }
  for (const folder of folders) add(folder)
  return [...ordered]
}

/** The folders of the packages that a package needs, directly or not, in the order of `packageFolders`. */
export function neededBy(folder: string): string[] {
  const folders = packageFolders()
  const needed = new Set([folder])
  // Each package comes after its dependencies, so that one pass from the end finds all.
  for (const each of folders.toReversed()) {
    if (!needed.has(each)) continue
    const { dependencies, devDependencies } = manifestOf(each)
    const names = new Set(Object.keys({ ...dependencies, ...devDependencies }))
    for (const other of folders) if (names.has(manifestOf(other).name)) needed.add(other)
  }
  needed.delete(folder)
  return folders.filter((each) => needed.has(each))
}

function manifestOf(folder: string): {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
} {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
}
