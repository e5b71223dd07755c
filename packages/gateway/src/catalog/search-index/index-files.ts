import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type IndexedTool, restoreProvider, saveProvider, type SearchProvider } from '@tooldex/search'

/** The settings of a folder of saved indexes. */
interface IndexFilesParts {
  /** Created by the first write. */
  readonly folder: string
  /** The release: another one may read texts differently. */
  readonly version: string
  /** Receives problems; the index is then built instead of loaded. */
  readonly onProblem: (problem: { readonly file: string; readonly error: unknown }) => void
}

/** Strategies that derive much from their tools. */
const SAVED: ReadonlySet<string> = new Set(['bm25', 'embeddings', 'hybrid'])
/** Building the index of fewer tools takes less time than a person notices. */
const FEWEST_TOOLS = 1_000
/** Several times an index of 100,000 tools. */
const MOST_BYTES = 512 * 1024 * 1024
/** Tools that are hashed at a time, in some milliseconds. */
const PORTION = 500
const SUFFIX = '.index'

/**
 * Saved indexes, one file per strategy, so that a start with the lists of the previous run builds nothing. A file is used for
 * exactly the tools and the release that it was made of. Damaged files are reported, and never more than a build is lost.
 */
export class IndexFiles {
  readonly #parts: IndexFilesParts
  /** By strategy, the fingerprint of its file. */
  readonly #known = new Map<string, string>()

  constructor(parts: IndexFilesParts) {
    this.#parts = parts
  }

  /** Whether the index of a strategy over so many tools is saved at all. */
  saves(strategy: string, tools: number): boolean {
    return SAVED.has(strategy) && tools >= FEWEST_TOOLS
  }

  /** A provider with these tools from its file, or undefined. `make` is called again after a file that cannot be used. */
  async load(
    strategy: string,
    tools: readonly IndexedTool[],
    make: () => SearchProvider | Promise<SearchProvider>,
  ): Promise<SearchProvider | undefined> {
    const fingerprint = await this.#fingerprint(tools)
    const file = this.#file(strategy, fingerprint)
    try {
      const bytes = await readWhole(file)
      if (bytes === undefined) return undefined
      const provider = await make()
      // In one piece: the gateway loads it before it listens.
      restoreProvider(provider, bytes, tools)
      this.#known.set(strategy, fingerprint)
      return provider
    } catch (error) {
      this.#parts.onProblem({ file, error })
      return undefined
    }
  }

  /** Saves a provider with these tools, unless its file has them already. Never throws. */
  async save(provider: SearchProvider, tools: readonly IndexedTool[]): Promise<void> {
    const { strategy } = provider
    if (!this.saves(strategy, tools.length)) return
    const fingerprint = await this.#fingerprint(tools)
    if (this.#known.get(strategy) === fingerprint) return
    const file = this.#file(strategy, fingerprint)
    try {
      const bytes = saveProvider(provider)
      if (bytes === undefined) return
      await mkdir(this.#parts.folder, { recursive: true, mode: 0o700 })
      await writeWhole(file, bytes)
      this.#known.set(strategy, fingerprint)
      await this.#removeOthers(strategy, file)
    } catch (error) {
      this.#parts.onProblem({ file, error })
    }
  }

  #file(strategy: string, fingerprint: string): string {
    return join(this.#parts.folder, `${strategy}-${fingerprint.slice(0, 32)}${SUFFIX}`)
  }

  async #removeOthers(strategy: string, file: string): Promise<void> {
    const names = await readdir(this.#parts.folder)
    const own = names.filter((name) => name.startsWith(`${strategy}-`)).map((name) => join(this.#parts.folder, name))
    await Promise.all(own.filter((path) => path !== file).map((path) => rm(path, { force: true })))
  }

  /** A hash of everything that the index is made of, computed in portions. */
  async #fingerprint(tools: readonly IndexedTool[]): Promise<string> {
    const hash = createHash('sha256').update(this.#parts.version)
    for (let from = 0; from < tools.length; from += PORTION) {
      hash.update(JSON.stringify(tools.slice(from, from + PORTION)))
      await nextTurn()
    }
    return hash.digest('hex')
  }
}

/** Undefined if there is no such file. */
async function readWhole(path: string): Promise<Uint8Array | undefined> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (found === undefined) return undefined
  if (found.size > MOST_BYTES) throw new Error(`the file has ${found.size} bytes, more than any index of this gateway`)
  const bytes = new Uint8Array(found.size)
  const handle = await open(path, 'r')
  try {
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0)
    return bytes.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Another process never reads a half of it. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const own = `${path}.${process.pid}`
  const handle = await open(own, 'w', 0o600)
  try {
    await handle.writeFile(bytes)
  } finally {
    await handle.close()
  }
  await rename(own, path)
}
