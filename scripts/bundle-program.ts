// The program as it is published: our code and that of the packages it uses, in few files instead of nine hundred. What
// is loaded later stays in files of its own. A start reads, checks and compiles a third of what it would otherwise.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { type OutputBundle, type Plugin, rolldown, type RolldownOutput } from 'rolldown'
import { ROOT } from './packages.ts'

/** The package that is a program. */
export const PROGRAM = join('packages', 'gateway')

/** What is run or imported by its path: from the sources' folder, without extension. */
const ENTRIES = ['main', 'index', 'store/sqlite/sqlite-thread', 'demo/sample-server']

/** Built for the platform, or with files that have to lie beside it; loaded by those who need it. */
const LEFT_OUT = [/^node:/, /^pg$/, /^@tooldex\/console$/, /^@tooldex\/embeddings-transformer$/]

/** Bundles the program into a folder, which has to lie in one like the package's own. */
export async function bundleProgram(into = join(ROOT, PROGRAM, 'dist')): Promise<RolldownOutput> {
  const folder = join(ROOT, PROGRAM)
  const bundle = await rolldown({
    cwd: folder,
    platform: 'node',
    input: Object.fromEntries(ENTRIES.map((name) => [name, join(folder, 'src', `${name}.ts`)])),
    external: LEFT_OUT,
    resolve: { mainFields: ['module', 'main'], conditionNames: ['tooldex-source', 'node', 'import', 'default'] },
    plugins: [filesOfPackages(folder), licences()],
  })
  const output = await bundle.write({
    dir: into,
    // Names stay as they are: a failure that somebody reports must be readable.
    minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
    chunkFileNames: '[name]-[hash].js',
    plugins: [plainText()],
  })
  await bundle.close()
  return output
}

/** A file that another package has beside its code is there still, and not beside the bundle. */
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

/** One letter beyond Latin in a file, and the engine keeps two bytes for each letter of it. */
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

/** Whoever wrote what is in the bundle wants that said. */
function licences(): Plugin {
  return {
    name: 'licences',
    writeBundle({ dir = '' }, files) {
      const texts = [...packagesIn(files)].toSorted().map((home) => {
        const { name, version, license } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as Manifest
        const file = readdirSync(home).find((each) => /^licen[cs]e/i.test(each))
        const text = file === undefined ? '' : `\n\n${readFileSync(join(home, file), 'utf8').trim()}`
        return `${name} ${version}: ${license}${text}\n`
      })
      writeFileSync(join(dir, 'licences.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`))
    },
  }
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
}

function packagesIn(files: OutputBundle): ReadonlySet<string> {
  const homes = new Set<string>()
  for (const file of Object.values(files)) {
    for (const id of file.type === 'chunk' ? file.moduleIds : []) {
      const home = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(id)?.[1]
      if (home !== undefined && existsSync(join(home, 'package.json'))) homes.add(home)
    }
  }
  return homes
}

if (import.meta.main) await bundleProgram()
