import { open } from 'node:fs/promises'
import { dirname } from 'node:path'

/** SQLite's number for a disk that reports an error. */
const IO_ERROR = 10

/**
 * Brings what was committed to the disk. SQLite would do the same after each commit (`synchronous = full`), but keeps
 * everybody waiting meanwhile; here a thread of Node's own pool waits.
 */
export class LogOnDisk {
  readonly #path: string
  #isInFolder = false

  /** @param path of the database */
  constructor(path: string) {
    this.#path = path
  }

  async sync(): Promise<void> {
    try {
      await syncFile(`${this.#path}-wal`)
      // The file itself is lost with the machine while its folder does not know it.
      if (!this.#isInFolder) await syncFile(dirname(this.#path))
      this.#isInFolder = true
    } catch (cause) {
      // A file system that cannot have such a log: SQLite has made sure of it in its own way.
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return
      throw Object.assign(new Error('The disk did not take it', { cause }), {
        code: 'ERR_SQLITE_ERROR',
        errcode: IO_ERROR,
      })
    }
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
