import { access, constants, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Finding, fine, wrong } from './finding.ts'

/** Files with secrets in them. */
const PRIVATE = ['secret.key', 'tooldex.db', 'gateway.json']
const FOR_OTHERS = 0o077

/** Whether the data folder can be written, and is closed to others. */
export async function lookAtFolder(dataDir: string): Promise<readonly Finding[]> {
  const about = 'data'
  const folder = await stat(dataDir).catch(() => undefined)
  if (folder === undefined) return [fine(about, `${dataDir} is made with the first start`)]
  if (!folder.isDirectory()) return [wrong(about, `${dataDir} is no folder`, 'Name another with --data or dataDir')]
  const isWritable = await access(dataDir, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!isWritable) {
    return [wrong(about, `${dataDir} cannot be written`, `Give it to whoever starts the gateway: chown … ${dataDir}`)]
  }
  const open = await openToOthers(dataDir)
  if (open.length === 0) return [fine(about, `${dataDir} can be written, and is closed to others`)]
  return open.map((path) => wrong(about, `${path} can be read by others`, `chmod go= ${path}`))
}

async function openToOthers(dataDir: string): Promise<string[]> {
  if (process.platform === 'win32') return []
  // A folder that others cannot enter keeps its files from them, too.
  const { mode } = await stat(dataDir)
  if ((mode & 0o007) === 0 && (mode & 0o070) === 0) return []
  const files = PRIVATE.map((name) => join(dataDir, name))
  const modes = await Promise.all(
    files.map((path) =>
      stat(path).then(
        (found) => found.mode,
        () => 0,
      ),
    ),
  )
  return files.filter((_, index) => ((modes[index] ?? 0) & FOR_OTHERS) !== 0)
}
