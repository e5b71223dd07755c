import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'

const ONLY_OWNER = 0o600

/** Writes a file that only its owner may read, atomically. */
export function writePrivateJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, JSON.stringify(value), { mode: ONLY_OWNER })
  renameSync(temporary, path)
}

/** Reads a JSON file; undefined if it is missing or damaged. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** Opens a file for writing that only its owner may read from now on, also one that others could read before. */
export async function openPrivateFile(path: string): Promise<FileHandle> {
  const file = await open(path, 'w', ONLY_OWNER)
  // A device keeps its mode.
  if ((await file.stat()).isFile()) await file.chmod(ONLY_OWNER)
  return file
}

/** Writes a file that only its owner may read. */
export async function writePrivateText(path: string, text: string): Promise<void> {
  const file = await openPrivateFile(path)
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
}
