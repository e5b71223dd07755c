import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { parseSecretKey, type SecretKey, secretKeyText } from './secret-key.ts'

/** Keys in a file that only its owner may read, one per line, the one in use first. */
export class KeyFile {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** None while there is no file. */
  read(): readonly SecretKey[] {
    const lines = readText(this.path)
      .split('\n')
      .map((line) => line.trim())
    return lines.filter((line) => line !== '' && !line.startsWith('#')).map(parseSecretKey)
  }

  /** Writes the first key. Somebody else's that came first stays. */
  create(key: SecretKey): void {
    const temporary = this.#write([key])
    try {
      // Unlike a renaming, this fails where a file is already.
      linkSync(temporary, this.path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(temporary, { force: true })
    }
  }

  /** Replaces the file, whole or not at all. */
  replace(keys: readonly SecretKey[]): void {
    renameSync(this.#write(keys), this.path)
  }

  #write(keys: readonly SecretKey[]): string {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 })
    const temporary = `${this.path}.${process.pid}.tmp`
    const file = openSync(temporary, 'w', 0o600)
    try {
      writeSync(file, `${keys.map(secretKeyText).join('\n')}\n`)
      // A secret that was encrypted is worth nothing without its key: the key is on the disk first.
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return temporary
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
