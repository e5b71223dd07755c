import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The top folder of this repository. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The folders of the workspace's packages, from the top folder, in order of name. */
export function packageFolders(): string[] {
  return readdirSync(join(ROOT, 'packages'))
    .toSorted()
    .map((name) => join('packages', name))
    .filter((folder) => existsSync(join(ROOT, folder, 'package.json')))
}
