import { GatewayError } from '../errors.ts'
import { canonicalText } from '../model/canonical-json.ts'
import type { GatewayModel, ModelSource } from '../model/gateway-model.ts'
import type { Store } from '../model/store.ts'
import type { StoredState, StoredToken } from '../model/stored-state.ts'
import type { Logger } from '../telemetry/logger.ts'
import { type LoadedConfig, modelOf } from './load-config.ts'
import type { DeclaredConfig } from './parse-config.ts'
import { awaitFile, watchFile } from './config-file-watcher.ts'

type Listener = (model: GatewayModel, previous: GatewayModel) => void

/** What a source of file and store needs. */
export interface StoreModelOptions {
  /** What is in use to begin with; its file, if it has one, is watched. */
  readonly initial: LoadedConfig
  /** Reads the file again. @throws GatewayError CONFIG_INVALID */
  readonly load: (path: string) => Promise<LoadedConfig>
  /** Where there was no file to begin with: the one that is there by now. Without it nobody looks. */
  readonly find?: () => Promise<string | undefined>
  readonly store: Pick<Store, 'current' | 'onChange'>
  readonly logger: Logger
  /**
   * How long the file must have been left alone, in milliseconds. More than the 50 in which the watcher keeps a second
   * change to itself, or that one would be missed.
   */
  readonly quietMs?: number
  /** How often is looked whether there is a file by now. */
  readonly lookMs?: number
}

/**
 * The model of what a watched file declares and what is stored. A file that is not valid is told of, problem by problem, and
 * changes nothing; what is stored goes on to count beside the last good one, so that a token is revoked in spite of it.
 */
export class StoreModelSource implements ModelSource {
  readonly #options: StoreModelOptions
  readonly #listeners = new Set<Listener>()
  readonly #endStore: () => void
  #loaded: LoadedConfig
  #model: GatewayModel
  #leftOut: readonly string[] = []
  #reloading: Promise<void> = Promise.resolve()
  /** What is watched, or would be. */
  #file: string | undefined
  #watching: Promise<{ close(): Promise<void> }> | undefined
  #awaiting: { close(): void } | undefined
  #isStopped = false

  /** @throws GatewayError CONFIG_INVALID */
  constructor(options: StoreModelOptions) {
    this.#options = options
    this.#loaded = options.initial
    this.#file = options.initial.config.path
    this.#model = this.#merge(options.initial, options.store.current())
    this.#endStore = options.store.onChange((state, previous) => this.#takeStored(state, previous))
  }

  current(): GatewayModel {
    return this.#model
  }

  /** What the file declares: the last good one. */
  declared(): DeclaredConfig {
    return this.#loaded.declared
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Follows the file from now on, or waits for one. The store is followed from the beginning. */
  async watch(): Promise<void> {
    const { find, lookMs = 2_000, logger } = this.#options
    if (this.#file !== undefined) return this.#follow(this.#file)
    if (find === undefined) return
    this.#awaiting = awaitFile(find, lookMs, (file) => {
      logger.info({ file }, 'there is a configuration file now')
      void this.#follow(file)
    })
  }

  /** Reads the file now. Reloads happen one after the other. */
  reload(): Promise<void> {
    this.#reloading = this.#reloading.then(() => this.#reload())
    return this.#reloading
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#endStore()
    this.#listeners.clear()
    this.#awaiting?.close()
    await (await this.#watching)?.close()
  }

  async #follow(file: string): Promise<void> {
    const { quietMs = 100, logger } = this.#options
    this.#file = file
    this.#watching = watchFile(file, quietMs, {
      changed: () => void this.reload(),
      gone: () => logger.warn({ file }, 'the configuration file is gone; the last good one stays in use'),
      failed: (err) => logger.warn({ file, err }, 'the configuration file cannot be watched'),
    })
    await this.#watching
    // The file may have changed after it was read and before it was watched.
    await this.reload()
  }

  async #reload(): Promise<void> {
    if (this.#file === undefined || this.#isStopped) return
    try {
      const loaded = await this.#options.load(this.#file)
      const model = this.#merge(loaded, this.#options.store.current())
      this.#loaded = this.#keepFixed(loaded)
      this.#take(model)
    } catch (error) {
      this.#tell(error)
    }
  }

  #takeStored(state: StoredState, previous: StoredState): void {
    try {
      this.#take(this.#merge(this.#loaded, state))
    } catch (error) {
      // Another gateway on this database, with another file, may store what clashes with ours. What it revoked stays revoked.
      this.#tell(error)
      this.#take(withoutLostTokens(this.#model, state, previous))
    }
  }

  #merge(loaded: LoadedConfig, state: StoredState): GatewayModel {
    const { model, leftOut } = modelOf(loaded, state)
    for (const sentence of leftOut.filter((each) => !this.#leftOut.includes(each))) {
      this.#options.logger.warn({ leftOut: sentence }, 'something that is stored names what is not there')
    }
    this.#leftOut = leftOut
    return model
  }

  #keepFixed(loaded: LoadedConfig): LoadedConfig {
    const { config } = this.#options.initial
    const file = this.#file
    if (canonicalText({ ...loaded.config, path: file }) !== canonicalText({ ...config, path: file })) {
      this.#options.logger.warn(
        { file },
        'listen, dataDir, database, audit, logLevel, embeddings and telemetry change with the next start',
      )
    }
    return { ...loaded, config }
  }

  #take(model: GatewayModel): void {
    const previous = this.#model
    if (canonicalText(model) === canonicalText(previous)) return
    this.#model = model
    this.#options.logger.info({ servers: model.servers.length }, 'the configuration has changed')
    for (const listener of this.#listeners) listener(model, previous)
  }

  #tell(error: unknown): void {
    const { logger } = this.#options
    const file = this.#file
    const problems = error instanceof GatewayError ? error.details['problems'] : undefined
    const sentences = Array.isArray(problems) ? problems : [error instanceof Error ? error.message : String(error)]
    for (const problem of sentences) logger.error({ file, problem }, 'the configuration is not valid')
    logger.warn({ file }, 'the last good configuration stays in use')
  }
}

/**
 * A model without the stored tokens that are no longer what they were: revoked, or changed in any way. For the moment when
 * what is stored cannot be taken over whole: nobody may keep what was taken away.
 */
function withoutLostTokens(model: GatewayModel, state: StoredState, previous: StoredState): GatewayModel {
  const now = new Map(state.tokens.map((token) => [token.hash, rightsOf(token)]))
  const lost = new Set(
    previous.tokens.filter((token) => now.get(token.hash) !== rightsOf(token)).map(({ hash }) => hash),
  )
  return Object.freeze({ ...model, tokens: new Map([...model.tokens].filter(([hash]) => !lost.has(hash))) })
}

function rightsOf({ kind, projects, servers, readOnly, expiresAt }: StoredToken): string {
  return canonicalText({ kind, projects, servers, readOnly, expiresAt })
}
