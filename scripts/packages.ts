import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The top folder of this repository. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The folders of the workspace's packages, in order of name. */
export function packageFolders(): string[] {
  const folder = join(ROOT, 'packages')
  return readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name))
    .filter((path) => existsSync(join(path, 'package.json')))
}
