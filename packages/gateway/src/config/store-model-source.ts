import { isDeepStrictEqual } from 'node:util'
import { GatewayError } from '../errors.ts'
import { canonicalText } from '../model/canonical-json.ts'
import type { GatewayModel, ModelSource } from '../model/gateway-model.ts'
import { SortedMap } from '../model/sorted-map.ts'
import type { Store } from '../model/store.ts'
import type { StoredState, StoredToken } from '../model/stored-state.ts'
import type { Logger } from '../telemetry/logger.ts'
import { awaitFile, watchFile } from './config-file-watcher.ts'
import { type LoadedConfig, type MadeModel, modelOf } from './load-config.ts'
import type { MergedConfig } from './merge-config.ts'
import type { DeclaredConfig } from './parse-config.ts'

type Listener = (model: GatewayModel, previous: GatewayModel) => void

/** The dependencies of {@link StoreModelSource}. */
export interface StoreModelOptions {
  /** The initial configuration; its file, if any, is watched. */
  readonly initial: LoadedConfig
  /** Reads the file again. @throws GatewayError CONFIG_INVALID */
  readonly load: (path: string) => Promise<LoadedConfig>
  /** Finds a file that was created after the start. Without it, only the initial file is watched. */
  readonly find?: () => Promise<string | undefined>
  readonly store: Pick<Store, 'current' | 'onChange'>
  readonly logger: Logger
  /**
   * How long the file must be unchanged before it is read, in milliseconds. Must exceed the 50 ms in which the watcher
   * suppresses a second event.
   */
  readonly quietMs?: number
  /** The interval of looking for a new file, in milliseconds. */
  readonly lookMs?: number
}

/**
 * The model of a watched file and the store. The problems of an invalid file are logged, and the last valid file stays in
 * use; changes of the store still apply, so that a token can be revoked.
 */
export class StoreModelSource implements ModelSource {
  readonly #options: StoreModelOptions
  readonly #listeners = new Set<Listener>()
  readonly #endStore: () => void
  #loaded: LoadedConfig
  /** The last valid configuration as a whole; the next change is applied to it. */
  #made: MadeModel
  /** Like that of `#made`, without the rights that tokens lost since. */
  #model: GatewayModel
  #leftOut: ReadonlySet<string> = new Set()
  #reloading: Promise<void> = Promise.resolve()
  /** The path of the watched file. */
  #file: string | undefined
  #watching: Promise<{ close(): Promise<void> }> | undefined
  #awaiting: { close(): void } | undefined
  #isStopped = false

  /** @throws GatewayError CONFIG_INVALID */
  constructor(options: StoreModelOptions) {
    this.#options = options
    this.#loaded = options.initial
    this.#file = options.initial.config.path
    this.#made = this.#merge(options.initial, options.store.current())
    this.#model = this.#made.model
    this.#endStore = options.store.onChange((state, previous) => this.#takeStored(state, previous))
  }

  current(): GatewayModel {
    return this.#model
  }

  /** The last valid content of the file. */
  declared(): DeclaredConfig {
    return this.#loaded.declared
  }

  /** File and store as they were last merged. */
  merged(): MergedConfig {
    return this.#made.merged
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Starts to watch the file, or waits for one. The store is watched from the beginning. */
  async watch(): Promise<void> {
    const { find, lookMs = 2_000, logger } = this.#options
    if (this.#file !== undefined) return this.#follow(this.#file)
    if (find === undefined) return
    this.#awaiting = awaitFile(find, lookMs, (file) => {
      logger.info({ file }, 'found a configuration file')
      void this.#follow(file)
    })
  }

  /** Reads the file now. Reloads are serialised. */
  reload(): Promise<void> {
    return this.#inTurn(() => this.#reload())
  }

  #inTurn(reload: () => Promise<void>): Promise<void> {
    this.#reloading = this.#reloading.then(reload)
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
      gone: () => logger.warn({ file }, 'the configuration file was removed; its last valid content stays in use'),
      failed: (err) => logger.warn({ file, err }, 'the configuration file cannot be watched'),
    })
    await this.#watching
    // The file may have changed between the first read and the start of watching.
    await this.#inTurn(() => this.#reload(true))
  }

  /** @param unlessSame merges only what differs: with many tokens a whole merge takes a while */
  async #reload(unlessSame = false): Promise<void> {
    if (this.#file === undefined || this.#isStopped) return
    try {
      const loaded = await this.#options.load(this.#file)
      if (unlessSame && isDeepStrictEqual(loaded.declared.value, this.#loaded.declared.value)) return
      const made = this.#merge(loaded, this.#options.store.current(), this.#made)
      this.#loaded = this.#keepFixed(loaded)
      this.#made = made
      this.#take(made.model)
    } catch (error) {
      this.#report(error)
    }
  }

  #takeStored(state: StoredState, previous: StoredState): void {
    try {
      this.#made = this.#merge(this.#loaded, state, this.#made)
      this.#take(this.#made.model)
    } catch (error) {
      // Another gateway on this database may store entries that our file declares. Revoked tokens are revoked anyway.
      this.#report(error)
      this.#take(withoutRevokedTokens(this.#model, state, previous))
    }
  }

  #merge(loaded: LoadedConfig, state: StoredState, before?: MadeModel): MadeModel {
    const made = modelOf(loaded, state, before)
    const leftOut = new Set(made.leftOut)
    for (const sentence of leftOut) {
      if (!this.#leftOut.has(sentence))
        this.#options.logger.warn({ leftOut: sentence }, 'a stored entry refers to a missing entry')
    }
    const isWhole = before?.merged.declared !== loaded.declared.value
    this.#leftOut = isWhole ? leftOut : new Set([...this.#leftOut, ...leftOut])
    return made
  }

  #keepFixed(loaded: LoadedConfig): LoadedConfig {
    const { config } = this.#options.initial
    const file = this.#file
    if (canonicalText({ ...loaded.config, path: file }) !== canonicalText({ ...config, path: file })) {
      this.#options.logger.warn(
        { file },
        'changes of listen, dataDir, database, audit, logLevel, startGraceMs, drainMs, embeddings, learning, search and telemetry take effect after a restart',
      )
    }
    return { ...loaded, config }
  }

  #take(model: GatewayModel): void {
    const previous = this.#model
    if (model === previous) return
    this.#model = model
    this.#options.logger.debug({ servers: model.servers.length }, 'the configuration has changed')
    for (const listener of this.#listeners) listener(model, previous)
  }

  #report(error: unknown): void {
    const { logger } = this.#options
    const file = this.#file
    const problems = error instanceof GatewayError ? error.details['problems'] : undefined
    const sentences = Array.isArray(problems) ? problems : [error instanceof Error ? error.message : String(error)]
    for (const problem of sentences) logger.error({ file, problem }, 'the configuration is not valid')
    logger.warn({ file }, 'the last valid configuration stays in use')
  }
}

/**
 * The model without stored tokens that were revoked or changed. For a state that cannot be merged: no token may keep
 * rights that it has lost.
 */
function withoutRevokedTokens(model: GatewayModel, state: StoredState, previous: StoredState): GatewayModel {
  const changed = [...state.tokens.changedSince(previous.tokens)].flatMap((id) => previous.tokens.get(id) ?? [])
  const lost = changed.filter(({ hash, ...token }) => {
    const now = state.tokens.withHash(hash)
    return now === undefined || rightsOf(now) !== rightsOf({ hash, ...token })
  })
  if (lost.length === 0) return model
  const tokens = SortedMap.of(model.tokens).with(lost.map(({ hash }) => [hash, undefined] as const))
  return Object.freeze({ ...model, tokens })
}

function rightsOf({ kind, projects, servers, tools, readOnly, expiresAt }: StoredToken): string {
  return canonicalText({ kind, projects, servers, tools, readOnly, expiresAt })
}
