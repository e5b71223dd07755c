// Builds the console if it is missing or older than its sources; done in an instant otherwise.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './packages.ts'
import { run } from './run.ts'

const FOLDER = 'packages/console'
const SOURCES = ['src', 'public', 'index.html', 'vite.config.ts', 'package.json']

/** Makes sure that there is a console to serve. */
export async function ensureConsole(say: (line: string) => void): Promise<void> {
  const built = join(ROOT, FOLDER, 'dist', 'app', 'index.html')
  if (existsSync(built) && statSync(built).mtimeMs >= newestSource()) return
  say('  building the console …\n')
  const { code, output } = await run('vite', ['build', FOLDER, '--logLevel', 'warn'])
  if (code !== 0) throw new Error(`The console could not be built:\n${output}`)
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
