import { dirname } from 'node:path'
import { watch as watchFiles } from 'chokidar'
import type { GatewayModel, ModelSource } from '../access/model.ts'
import { GatewayError } from '../errors.ts'
import type { Logger } from '../telemetry/logger.ts'
import { canonicalText } from './canonical-text.ts'
import type { LoadedConfig } from './load-config.ts'

type Listener = (model: GatewayModel, previous: GatewayModel) => void

/** What a file source needs. */
export interface FileModelOptions {
  readonly path: string
  /** What is in use to begin with. */
  readonly initial: LoadedConfig
  /** Reads the file again. @throws GatewayError CONFIG_INVALID */
  readonly load: () => Promise<LoadedConfig>
  readonly logger: Logger
  /**
   * How long the file must have been left alone, in milliseconds. More than the 50 in which the watcher keeps a second
   * change to itself, or that one would be missed.
   */
  readonly quietMs?: number
}

/** The model of a file that is watched. An invalid file is told of, problem by problem, and changes nothing. */
export class FileModelSource implements ModelSource {
  readonly #options: FileModelOptions
  readonly #listeners = new Set<Listener>()
  #loaded: LoadedConfig
  #reloading: Promise<void> = Promise.resolve()
  #watcher: { close(): Promise<void> } | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: FileModelOptions) {
    this.#options = options
    this.#loaded = options.initial
  }

  current(): GatewayModel {
    return this.#loaded.model
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Follows the file from now on. The folder is watched: editors write a new file and put it in the old one's place. */
  async watch(): Promise<void> {
    const { path, quietMs = 100, logger } = this.#options
    const folder = dirname(path)
    const watcher = watchFiles(folder, {
      depth: 0,
      ignoreInitial: true,
      ignored: (each) => each !== folder && each !== path,
    })
    this.#watcher = watcher
    const later = (): void => {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => void this.reload(), quietMs)
    }
    watcher.on('add', later).on('change', later)
    watcher.on('unlink', () =>
      logger.warn({ file: path }, 'the configuration file is gone; the last good one stays in use'),
    )
    watcher.on('error', (err) => logger.warn({ file: path, err }, 'the configuration file cannot be watched'))
    await new Promise<void>((resolve) => watcher.once('ready', resolve))
    // The file may have changed after it was read and before it was watched.
    await this.reload()
  }

  /** Reads the file now. Reloads happen one after the other. */
  reload(): Promise<void> {
    this.#reloading = this.#reloading.then(() => this.#reload())
    return this.#reloading
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#listeners.clear()
    await this.#watcher?.close()
  }

  async #reload(): Promise<void> {
    try {
      this.#take(await this.#options.load())
    } catch (error) {
      this.#tell(error)
    }
  }

  #take(loaded: LoadedConfig): void {
    const { path, logger } = this.#options
    const previous = this.#loaded
    if (canonicalText(loaded.config) !== canonicalText(previous.config)) {
      logger.warn({ file: path }, 'listen, dataDir, logLevel, embeddings and telemetry change with the next start')
    }
    if (canonicalText(loaded.model) === canonicalText(previous.model)) return
    this.#loaded = { ...loaded, config: previous.config }
    logger.info({ file: path, servers: loaded.model.servers.length }, 'the configuration has changed')
    for (const listener of this.#listeners) listener(loaded.model, previous.model)
  }

  #tell(error: unknown): void {
    const { path, logger } = this.#options
    const problems = error instanceof GatewayError ? error.details['problems'] : undefined
    const sentences = Array.isArray(problems) ? problems : [error instanceof Error ? error.message : String(error)]
    for (const problem of sentences) logger.error({ file: path, problem }, 'the configuration is not valid')
    logger.warn({ file: path }, 'the last good configuration stays in use')
  }
}
