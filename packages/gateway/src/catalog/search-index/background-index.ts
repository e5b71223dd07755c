import { createHash } from 'node:crypto'
import {
  type IndexedTool,
  type SearchAnswer,
  type SearchProvider,
  type SearchRequest,
  type ToolChange,
  type ToolFilter,
  ToolScope,
  ToolSearchError,
} from '@tooldex/search'
import { atOnce, inSlices, type Steps } from '../../in-slices.ts'
import { ownProgram } from '../../package-files.ts'
import { type IndexProgram, startIndexProgram } from './index-channel.ts'
import type { SentError, SentScope, ThreadReply, ThreadRequest, ThreadSetup } from './thread-messages.ts'
import type { ToolRule } from '@tooldex/search/engine'

/** A search whose tools are also given as a rule, which is smaller to send than their ids. */
export interface RuledSearchRequest extends SearchRequest {
  readonly rule?: ToolRule
}

/** The collaborators and limits of {@link BackgroundIndex}. */
export interface BackgroundIndexParts {
  readonly setup: Pick<ThreadSetup, 'vectorsFolder' | 'indexes' | 'embeddings' | 'engine'> & Partial<ThreadSetup>
  /** All tools now, in any order. */
  readonly tools: () => readonly IndexedTool[]
  readonly log: {
    debug(facts: Readonly<Record<string, unknown>>, message: string): void
    warn(facts: Readonly<Record<string, unknown>>, message: string): void
  }
  /** A thread that says nothing for this long while it is asked is replaced. */
  readonly silentMs?: number
  /** The wait before a thread that ended is replaced; longer with each time in a row. */
  readonly restartMs?: number
  /** The program of the thread. */
  readonly program?: URL
}

const SAVE_AFTER_MS = 10_000
const SCOPE_BYTES = 64 * 1024 * 1024
const SILENT_MS = 15_000
/** On a busy machine, loading the code of the thread takes long. */
const LONGEST_START_MS = 60_000
const RESTART_MS = 500
const LONGEST_RESTART_MS = 60_000
const PING_MS = 1_000
/** Tools in one message, in less than a millisecond. */
const PORTION = 20
/** Tools of a change that is sent at once. */
const SMALL = 100
/** Names of rules that the thread is thought to know. */
const MOST_NAMES = 10_000
/** Their answers to equal questions are equal. The others may be answered by a substitute. */
const DETERMINISTIC: ReadonlySet<string> = new Set(['bm25', 'lexical'])

/**
 * An index in a thread of its own, which is empty until `fill`. It has the tools of the catalog, receives every change of
 * them, and saves itself. A thread that crashes or hangs is replaced; until the new one has all tools, searches fail with
 * SEARCH_UNAVAILABLE and the reason.
 */
export class BackgroundIndex {
  readonly #parts: BackgroundIndexParts
  readonly #providers = new Map<string, SearchProvider>()
  readonly #names = new WeakMap<object, string>()
  #thread: IndexThread | undefined
  #role: 'writer' | 'reader' = 'reader'
  #isFilled = false
  #restarts = 0
  #restarting: NodeJS.Timeout | undefined
  #trouble = 'it is being started'
  #isClosed = false

  constructor(parts: BackgroundIndexParts) {
    this.#parts = parts
    this.#start()
  }

  provider(strategy: string): SearchProvider {
    const known = this.#providers.get(strategy)
    if (known !== undefined) return known
    const provider: SearchProvider = {
      strategy,
      deterministic: DETERMINISTIC.has(strategy),
      apply: () => {},
      search: (request) => this.#search(strategy, request),
    }
    this.#providers.set(strategy, provider)
    this.#thread?.send({ kind: 'open', strategy })
    return provider
  }

  /** Sends all tools. Searches wait for them. */
  fill(): void {
    if (this.#isFilled) return
    this.#isFilled = true
    this.#thread?.fill(this.#parts.tools())
  }

  /** Takes over a change of the tools. */
  apply({ added, changed, removed }: ToolChange): void {
    if (!this.#isFilled) return
    this.#thread?.feed(
      [...added, ...changed],
      removed.map(({ id }) => id),
    )
  }

  /** Whether this gateway writes to the engine from now on. */
  become(role: 'writer' | 'reader'): void {
    this.#role = role
    this.#thread?.send({ kind: 'role', role })
  }

  /** Resolves once the strategies that were opened have all tools; also if the thread ends meanwhile. */
  async built(): Promise<void> {
    if (this.#isFilled) await this.#thread?.ask('built').catch(() => {})
  }

  /** Saves the indexes for the next start. Never throws. */
  async save(): Promise<void> {
    if (this.#isFilled) await this.#thread?.ask('save').catch(() => {})
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#restarting)
    await this.#thread?.close()
  }

  async #search(strategy: string, request: RuledSearchRequest): Promise<SearchAnswer> {
    request.signal?.throwIfAborted()
    const thread = this.#thread
    if (thread === undefined) throw unavailable(this.#trouble)
    const { queries, context, maxResults, explain } = request
    const sent = {
      queries,
      maxResults,
      ...(context !== undefined && { context }),
      ...(explain === true && { explain }),
    }
    return thread.search(strategy, sent, this.#scopeOf(request), request.signal)
  }

  #scopeOf({ within, rule }: RuledSearchRequest): Required<SentScope> | undefined {
    if (within === undefined && rule === undefined) return undefined
    const of = rule ?? (within as object)
    const sent = rule ?? { tenant: '', servers: 'all', only: this.#idsIn(within as ToolFilter), except: [] }
    const name = this.#names.get(of) ?? createHash('sha256').update(JSON.stringify(sent)).digest('base64')
    // Other filters may have other members at the next search.
    if (rule !== undefined || within instanceof ToolScope) this.#names.set(of, name)
    return { name, rule: sent }
  }

  #idsIn(within: ToolFilter): string[] {
    if (within instanceof ToolScope) return [...within.ids()]
    if (typeof within !== 'function') return [...within.keys()]
    return this.#parts.tools().flatMap((tool) => (within(tool) === true ? tool.id : []))
  }

  #start(): void {
    const { setup, log, silentMs = SILENT_MS, program = ownProgram(THREAD) } = this.#parts
    const thread = new IndexThread(program, {
      setup: { saveAfterMs: SAVE_AFTER_MS, scopeBytes: SCOPE_BYTES, ...setup },
      silentMs,
      log: (level, facts, message) => log[level](facts, message),
      onEnd: (reason) => this.#replace(thread, reason),
    })
    this.#thread = thread
    thread.send({ kind: 'role', role: this.#role })
    if (this.#isFilled) thread.fill(this.#parts.tools())
    for (const strategy of this.#providers.keys()) thread.send({ kind: 'open', strategy })
  }

  #replace(ended: IndexThread, reason: string): void {
    if (this.#isClosed || this.#thread !== ended) return
    this.#thread = undefined
    this.#trouble = `${reason}; it is started again`
    const { log, restartMs = RESTART_MS } = this.#parts
    const isLasting = ended.ageMs > LONGEST_RESTART_MS
    this.#restarts = isLasting ? 1 : this.#restarts + 1
    const waitMs = Math.min(restartMs * 2 ** (this.#restarts - 1), LONGEST_RESTART_MS)
    log.warn({ reason, waitMs }, 'the search thread ended; searches fail until a new one has all tools')
    this.#restarting = setTimeout(() => this.#start(), waitMs).unref()
  }
}

const THREAD = 'catalog/search-index/index-thread'

function unavailable(reason: string): ToolSearchError {
  return new ToolSearchError('SEARCH_UNAVAILABLE', { reason: `the search thread does not answer: ${reason}` })
}

interface Waiting {
  readonly since: number
  readonly resolve: (reply: ThreadReply) => void
  readonly reject: (error: unknown) => void
}

interface IndexThreadParts {
  readonly setup: ThreadSetup
  readonly silentMs: number
  readonly log: (level: 'debug' | 'warn', facts: Readonly<Record<string, unknown>>, message: string) => void
  readonly onEnd: (reason: string) => void
}

type Sent = Pick<ThreadRequest & { kind: 'search' }, 'request'>['request']

/** A handle of one thread. It keeps the process alive only while it is asked. */
class IndexThread {
  readonly #parts: IndexThreadParts
  readonly #program: IndexProgram
  readonly #waiting = new Map<number, Waiting>()
  readonly #startedAt = performance.now()
  /** Names of rules that were sent. */
  readonly #names = new Set<string>()
  #lastId = 0
  #heardAt: number | undefined
  #pinging: NodeJS.Timeout | undefined
  /** Changes are sent one after the other. */
  #fed: Promise<void> = Promise.resolve()
  #feeding = 0
  #end: string | undefined

  constructor(program: URL, parts: IndexThreadParts) {
    this.#parts = parts
    this.#program = startIndexProgram(program, parts.setup, {
      message: (reply) => this.#take(reply),
      end: (reason) => this.#giveUp(reason),
    })
  }

  get ageMs(): number {
    return performance.now() - this.#startedAt
  }

  send(request: ThreadRequest): void {
    if (this.#end === undefined) this.#program.send(request)
  }

  /** Sends all tools that there are at the start. */
  fill(tools: readonly IndexedTool[]): void {
    this.feed(tools, [])
    if (this.#feeding === 0) this.send({ kind: 'filled' })
    else this.#fed = this.#fed.then(() => this.send({ kind: 'filled' }))
  }

  /** Sends a change: a small one at once, so that the next search knows it, others in portions. */
  feed(put: readonly IndexedTool[], remove: readonly string[]): void {
    if (this.#feeding === 0 && put.length <= SMALL) return atOnce(this.#portions(put, remove))
    this.#feeding++
    this.#fed = this.#fed.then(() => inSlices(this.#portions(put, remove))).then(() => void this.#feeding--)
  }

  *#portions(put: readonly IndexedTool[], remove: readonly string[]): Steps<void> {
    // Removals first, so that a search never finds removed tools.
    if (remove.length > 0) this.send({ kind: 'change', put: [], remove })
    for (let from = 0; from < put.length; from += PORTION) {
      this.send({ kind: 'change', put: put.slice(from, from + PORTION), remove: [] })
      yield
    }
  }

  async ask(kind: 'built' | 'save'): Promise<void> {
    await this.#fed
    await this.#ask((id) => ({ kind, id }))
  }

  /** @throws ToolSearchError as the search of the thread does; SEARCH_UNAVAILABLE if the thread ends */
  async search(strategy: string, request: Sent, scope: Required<SentScope> | undefined, signal?: AbortSignal) {
    const isKnown = scope !== undefined && this.#names.has(scope.name)
    const first = isKnown ? { name: scope.name } : scope
    const reply = await this.#ask((id) => ({ kind: 'search', id, strategy, request, scope: first }), signal)
    if (reply.kind === 'found') return this.#known(scope, reply.answer)
    const again = await this.#ask((id) => ({ kind: 'search', id, strategy, request, scope }), signal)
    if (again.kind === 'found') return again.answer
    throw unavailable('it forgot the rule of a search')
  }

  async close(): Promise<void> {
    this.#end = 'it was closed'
    clearInterval(this.#pinging)
    await this.#program.terminate()
    this.#giveUp(this.#end)
  }

  #known(scope: SentScope | undefined, answer: SearchAnswer): SearchAnswer {
    if (scope === undefined) return answer
    if (this.#names.size >= MOST_NAMES) this.#names.clear()
    this.#names.add(scope.name)
    return answer
  }

  #ask(make: (id: number) => ThreadRequest, signal?: AbortSignal): Promise<ThreadReply> {
    if (this.#end !== undefined) return Promise.reject(unavailable(this.#end))
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<ThreadReply>()
    const onAbort = (): void => {
      this.send({ kind: 'cancel', id })
      this.#forget(id)?.reject(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#waiting.set(id, { since: performance.now(), resolve, reject })
    this.#program.keepAlive(true)
    this.#pinging ??= setInterval(() => this.#watch(), PING_MS).unref()
    this.send(make(id))
    return promise.finally(() => signal?.removeEventListener('abort', onAbort))
  }

  #take(reply: ThreadReply): void {
    this.#heardAt = performance.now()
    if (reply.kind === 'log') return this.#parts.log(reply.level, reply.facts, reply.message)
    const waiting = this.#forget(reply.id)
    if (reply.kind === 'failed') waiting?.reject(errorOf(reply.error))
    else waiting?.resolve(reply)
  }

  #forget(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (this.#waiting.size > 0) return waiting
    this.#program.keepAlive(false)
    clearInterval(this.#pinging)
    this.#pinging = undefined
    return waiting
  }

  /** A thread that indexes answers between two batches; one that says nothing at all will not come back. */
  #watch(): void {
    const [oldest] = this.#waiting.values()
    if (oldest === undefined) return
    const silentMs = performance.now() - Math.max(this.#heardAt ?? 0, oldest.since)
    this.send({ kind: 'ping', id: 0 })
    if (silentMs < (this.#heardAt === undefined ? LONGEST_START_MS : this.#parts.silentMs)) return
    this.#giveUp(`it was silent for ${Math.round(silentMs / 1_000)} seconds`)
    void this.#program.terminate()
  }

  #giveUp(reason: string): void {
    clearInterval(this.#pinging)
    const isFirst = this.#end === undefined
    this.#end ??= reason
    for (const { reject } of this.#waiting.values()) reject(unavailable(this.#end))
    this.#waiting.clear()
    if (isFirst) this.#parts.onEnd(reason)
  }
}

function errorOf({ code, message, details }: SentError): Error {
  if (code === undefined) return new Error(message)
  return Object.assign(new ToolSearchError('SEARCH_UNAVAILABLE', details), { code, message })
}
