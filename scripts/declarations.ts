// The type declarations of packages.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Rewrites `Uint8Array<ArrayBuffer>` and the like, which only TypeScript 5.7 and newer understand, as `Uint8Array`. The compiler
 * infers them wherever a typed array is made.
 */
export function keepOldTypes(folder: string): void {
  const dist = join(folder, 'dist')
  for (const each of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!each.endsWith('.d.ts')) continue
    const text = readFileSync(join(dist, each), 'utf8')
    const plain = text.replaceAll(/\b((?:Big)?(?:Int|Uint|Float)\d+(?:Clamped)?Array)<ArrayBuffer(?:Like)?>/g, '$1')
    if (plain !== text) writeFileSync(join(dist, each), plain)
  }
}

/**
 * Removes the declarations in a package's dist/ that its index does not reach. Fails when the others import a package
 * that is not a dependency.
 */
export function keepPublicDeclarations(folder: string): void {
  const dist = join(folder, 'dist')
  const { files, modules } = declarationsFrom(join(dist, 'index.d.ts'))
  for (const each of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const path = join(dist, each)
    if (each.endsWith('.d.ts') && !files.has(path)) rmSync(path)
  }
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { dependencies: object }
  const missing = [...modules].filter(
    (name) => !name.startsWith('node:') && !(packageOf(name) in manifest.dependencies),
  )
  if (missing.length > 0) throw new Error(`the types of ${folder} need ${missing.join(', ')}: add to "dependencies"`)
}

/** The package that a module belongs to: `@tooldex/search` for `@tooldex/search/relevance`. */
export const packageOf = (name: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name

const IMPORTED = /(?:from |import\()['"]([^'"]+)['"]/g

function declarationsFrom(entry: string): { files: ReadonlySet<string>; modules: ReadonlySet<string> } {
  const files = new Set<string>()
  const modules = new Set<string>()
  const follow = (file: string): void => {
    if (files.has(file)) return
    files.add(file)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(IMPORTED)) {
      if (name.startsWith('.')) follow(join(dirname(file), name.replace(/\.[jt]s$/, '.d.ts')))
      else modules.add(name)
    }
  }
  follow(entry)
  return { files, modules }
}
