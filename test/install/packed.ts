// The packages as npm would publish them, and a folder where a user installed them.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageFolders, ROOT } from '../../scripts/packages.ts'
import { run, type RunResult } from '../../scripts/run.ts'
import { repositoryPaths } from '../repository-files.ts'

/** Packed and installed packages. */
export interface Packed {
  /** The tarballs, unpacked: by the name of the package's folder in this repository. */
  readonly unpacked: ReadonlyMap<string, string>
  /** A user's folder with all of them installed. */
  readonly consumer: string
  readonly remove: () => void
}

/** Packs all packages from a copy of the sources without built files, and installs the tarballs into an empty folder. */
export async function packAndInstall(): Promise<Packed> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'tooldex-install-')))
  const [tarballs, consumer] = [join(home, 'tarballs'), join(home, 'consumer')]
  // Inside this repository, so that the copy finds the libraries; the consumer must not find them.
  mkdirSync(join(ROOT, '.tooldex'), { recursive: true })
  const clone = mkdtempSync(join(ROOT, '.tooldex', 'install-'))
  for (const folder of [tarballs, consumer]) mkdirSync(folder)
  copySources(clone)
  try {
    await succeed('npm', ['pack', '--workspaces', '--pack-destination', tarballs, '--loglevel=error'], clone)
  } finally {
    rmSync(clone, { recursive: true, force: true })
  }
  const files = readdirSync(tarballs)
  const unpacked = new Map<string, string>()
  for (const folder of packageFolders()) {
    const { name } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as { name: string }
    const start = `${name.replace('@', '').replace('/', '-')}-`
    const file = files.find((each) => each.startsWith(start) && /^\d/.test(each.slice(start.length)))
    if (file === undefined) throw new Error(`${name} was not packed`)
    const into = join(home, 'unpacked', folder)
    mkdirSync(into, { recursive: true })
    await succeed('tar', ['-xzf', join(tarballs, file), '-C', into], home)
    unpacked.set(folder, join(into, 'package'))
  }
  writeFileSync(join(consumer, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await succeed('npm', ['install', ...flags, ...files.map((file) => join(tarballs, file))], consumer)
  return { unpacked, consumer, remove: () => rmSync(home, { recursive: true, force: true }) }
}

/** Everything but built files; the packages of the copy find each other. */
function copySources(clone: string): void {
  for (const path of repositoryPaths()) {
    const isWanted = /^(?:packages|scripts)\/|^(?:LICENSE|package\.json|tsconfig\.base\.json|\.npmrc)$/.test(path)
    const isBuilt = /^packages\/[^/]+\/LICENSE$/.test(path)
    if (isWanted && !isBuilt && /\.|LICENSE$/.test(path))
      cpSync(join(ROOT, path), join(clone, path), { recursive: true })
  }
  const modules = join(clone, 'node_modules')
  mkdirSync(join(modules, '@tooldex'), { recursive: true })
  for (const folder of packageFolders()) {
    const { name } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as { name: string }
    symlinkSync(join(clone, folder), join(modules, name))
  }
}

/** The oldest TypeScript and the oldest Node that the packages support, installed once per clone of this repository. */
export async function oldestTools(): Promise<{ readonly tsc: string; readonly node: string | undefined }> {
  const source = join(ROOT, 'test/install/tools')
  const folder = join(ROOT, 'node_modules/.cache/tooldex-install-tools')
  const lockfile = readFileSync(join(source, 'package-lock.json'), 'utf8')
  const installed = join(folder, 'installed-lock.json')
  if (!existsSync(installed) || readFileSync(installed, 'utf8') !== lockfile) {
    rmSync(folder, { recursive: true, force: true })
    cpSync(source, folder, { recursive: true })
    await succeed(
      'npm',
      ['ci', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
      folder,
    )
    writeFileSync(installed, lockfile)
  }
  const node = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin/node')
  return { tsc: join(folder, 'node_modules/typescript/bin/tsc'), node: existsSync(node) ? node : undefined }
}

/** Runs a command in a folder. @throws Error with its output unless it succeeds */
async function succeed(command: string, args: readonly string[], cwd: string): Promise<RunResult> {
  const result = await run(command, args, { cwd })
  if (result.code === 0) return result
  throw new Error(`${command} ${args[0] ?? ''} failed:\n${result.output}`)
}
