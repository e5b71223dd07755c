import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** One JSON file per server in a folder. Files are replaced atomically. */
export class ServerFiles {
  readonly #folder: string
  /** The latest write per server; writes of one server run one after the other. */
  readonly #writes = new Map<string, Promise<void>>()

  /** @param folder created by the first write */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** `undefined` if the file is missing, unreadable or truncated. */
  async read(serverId: string): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.#pathOf(serverId), 'utf8')) as unknown
    } catch {
      return undefined
    }
  }

  write(serverId: string, value: object): Promise<void> {
    const before = this.#writes.get(serverId) ?? Promise.resolve()
    const write = before.catch(() => {}).then(() => this.#write(serverId, value))
    this.#writes.set(serverId, write)
    return write.finally(() => {
      if (this.#writes.get(serverId) === write) this.#writes.delete(serverId)
    })
  }

  async #write(serverId: string, value: object): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const path = this.#pathOf(serverId)
    const temporary = `${path}.${process.pid}.tmp`
    try {
      await writeFile(temporary, JSON.stringify(value), { mode: 0o600 })
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }

  /** Readable, and unique even where the file system ignores case or forbids characters. */
  #pathOf(serverId: string): string {
    const readable = serverId.replace(/[^A-Za-z0-9_-]/gu, '_').slice(0, 60)
    const hash = createHash('sha256').update(serverId).digest('hex').slice(0, 16)
    return join(this.#folder, `${readable}-${hash}.json`)
  }
}
