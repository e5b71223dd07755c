// Builds the console if it is missing or older than its sources: the pages, and the module that says where they are.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ROOT } from './packages.ts'
import { run } from './run.ts'

const FOLDER = 'packages/console'
const SOURCES = ['src', 'public', 'index.html', 'vite.config.ts', 'package.json']

const BUILDS = [
  ['vite', 'build', FOLDER, '--logLevel', 'warn'],
  ['tsc', '-p', join(FOLDER, 'tsconfig.build.json')],
] as const

const LOCK = join(ROOT, FOLDER, 'dist', 'building')
/** No build takes as long: the process that held the lock has ended. */
const STALE_MS = 120_000

/** Builds the console unless it is up to date. Of several processes that ask at once, one builds and the others wait. */
export async function ensureConsole(log: (line: string) => void): Promise<void> {
  while (!isBuilt()) {
    if (!takeLock()) {
      await setTimeout(100)
      continue
    }
    try {
      log('  building the console …\n')
      for (const [command, ...args] of BUILDS) {
        const { code, output } = await run(command, args)
        if (code !== 0) throw new Error(`The console could not be built:\n${output}`)
      }
    } finally {
      rmSync(LOCK, { recursive: true, force: true })
    }
  }
}

function isBuilt(): boolean {
  const dist = join(ROOT, FOLDER, 'dist')
  const pages = join(dist, 'app', 'index.html')
  if (existsSync(LOCK) || !existsSync(pages) || !existsSync(join(dist, 'files.js'))) return false
  return statSync(pages).mtimeMs >= newestSource()
}

/** Making a folder succeeds for one process only. */
function takeLock(): boolean {
  try {
    mkdirSync(LOCK)
    return true
  } catch {
    const since = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs
    if (since === undefined) mkdirSync(dirname(LOCK), { recursive: true })
    else if (Date.now() - since > STALE_MS) rmSync(LOCK, { recursive: true, force: true })
    return false
  }
}

function newestSource(): number {
  const times = SOURCES.flatMap((source) => filesIn(join(ROOT, FOLDER, source))).map((file) => statSync(file).mtimeMs)
  return Math.max(...times)
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  const entries = readdirSync(path, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

if (import.meta.main) await ensureConsole((line) => process.stderr.write(line))
