// Bundles the published program: our code and its dependencies in a few files. Modules that are loaded later stay in
// files of their own, so that a start reads, checks and compiles a third of the code.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { type Plugin, rolldown, type RolldownOutput } from 'rolldown'
import { ROOT } from './packages.ts'
import { thirdParty } from './third-party.ts'

/** The package that is a program. */
export const PROGRAM = join('packages', 'gateway')

/** Modules that are run or imported by path: from the sources' folder, without extension. */
const ENTRIES = [
  'main',
  'index',
  'store/sqlite/sqlite-thread',
  'catalog/search-index/index-thread',
  'servers/stdio/end-leftovers',
  'telemetry/watchdog-thread',
  'demo/sample-server',
]

/** Packages with native code or with files of their own, which are loaded only where they are needed. */
const LEFT_OUT = [/^node:/, /^pg$/, /^@tooldex\/console$/]

/** Bundles the program into a folder whose parent looks like the package's own. */
export async function bundleProgram(into = join(ROOT, PROGRAM, 'dist')): Promise<RolldownOutput> {
  const folder = join(ROOT, PROGRAM)
  const bundle = await rolldown({
    cwd: folder,
    platform: 'node',
    input: Object.fromEntries(ENTRIES.map((name) => [name, join(folder, 'src', `${name}.ts`)])),
    external: LEFT_OUT,
    resolve: { mainFields: ['module', 'main'], conditionNames: ['tooldex-source', 'node', 'import', 'default'] },
    plugins: [filesOfPackages(folder), thirdParty(folder)],
  })
  const output = await bundle.write({
    dir: into,
    // Names stay as they are, so that reported stack traces are readable.
    minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
    chunkFileNames: '[name]-[hash].js',
    plugins: [plainText()],
  })
  await bundle.close()
  return output
}

/** Files that a package keeps beside its code are found in that package, not beside the bundle. */
function filesOfPackages(folder: string): Plugin {
  const ofPackage = /^(.*[/\\]packages[/\\][^/\\]+)[/\\]src[/\\]/
  return {
    name: 'files-of-packages',
    transform: {
      filter: { code: 'import.meta.url' },
      handler(code, id) {
        const home = ofPackage.exec(id)?.[1]
        if (home === undefined || home === folder) return undefined
        const { name } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { name: string }
        return code.replaceAll(/new URL\((['"])(.+?)\1, import\.meta\.url\)/g, (_found, _quote, path: string) => {
          const way = relative(join(home, 'dist'), resolve(dirname(id), path))
          return `new URL(${JSON.stringify(way)}, import.meta.resolve(${JSON.stringify(name)}))`
        })
      },
    },
  }
}

/** Escapes all characters beyond ASCII: with one beyond Latin-1, V8 stores the whole file in two-byte characters. */
function plainText(): Plugin {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return {
    name: 'plain-text',
    writeBundle({ dir = '' }, files) {
      for (const { fileName } of Object.values(files)) {
        const path = join(dir, fileName)
        const text = readFileSync(path, 'utf8')
        const plain = text.replaceAll(/[^\0-\x7f]/g, escaped)
        if (plain !== text) writeFileSync(path, plain)
      }
    },
  }
}

if (import.meta.main) await bundleProgram()
