/**
 * The entry point of the thread, or process, that has the search index of a large catalog: no search, no build and no file of
 * an index blocks the event loop of the gateway.
 */
import type { IndexedTool, SearchRequest, ToolChange } from '@tooldex/search'
import { inIdOrder } from './indexed-tools.ts'
import type { EngineIndex } from './engine/engine-index.ts'
import { openIndexChannel } from './index-channel.ts'
import { IndexProviders } from './index-providers.ts'
import { openIndexFiles, openStrategies } from './open-strategies.ts'
import type { EngineSetup, SentError, ThreadReply, ThreadRequest } from './thread-messages.ts'
import { ThreadScopes } from './thread-scopes.ts'

const { setup, send: reply, listen } = await openIndexChannel()
const logAt =
  (level: 'debug' | 'warn') =>
  (facts: Readonly<Record<string, unknown>>, message: string): void =>
    reply({ kind: 'log', level, facts: facts as Record<string, string>, message })

const tools = new Map<string, IndexedTool>()
const log = { debug: logAt('debug'), warn: logAt('warn') }
const source = {
  get size() {
    return tools.size
  },
  tools: () => inIdOrder([...tools.values()]),
}
const parts = { ...setup, log }
const { strategies, embedders } = openStrategies(parts)
const providers = new IndexProviders(source, { makers: strategies, files: openIndexFiles(parts), log })
const engine = setup.engine && (await engineIndex(setup.engine))
if (engine !== undefined) log.debug({ pid: process.pid }, 'the search index has a process of its own')
const scopes = new ThreadScopes(tools, setup.scopeBytes)
const searches = new Map<number, AbortController>()
const filled = Promise.withResolvers<void>()
let isFilled = false
let saving: NodeJS.Timeout | undefined

/** Loaded where it is configured: most gateways have none. */
async function engineIndex(at: EngineSetup): Promise<EngineIndex> {
  const [{ createQueryReader }, { EngineIndex: Index }, { openLance }] = await Promise.all([
    import('@tooldex/languages'),
    import('./engine/engine-index.ts'),
    import('./engine/open-lance.ts'),
  ])
  return new Index({
    ...{ tools, log, memory: providers, queryReader: createQueryReader() },
    open: (asked) => openLance({ ...at, ...asked, log }),
    embedders: () => embedders.open(),
  })
}

function change(put: readonly IndexedTool[], remove: readonly string[]): void {
  const removed = remove.flatMap((id) => tools.get(id) ?? [])
  const added = put.filter(({ id }) => !tools.has(id))
  const changed = put.filter(({ id }) => tools.has(id))
  for (const { id } of removed) tools.delete(id)
  for (const tool of put) tools.set(tool.id, tool)
  if (!isFilled) return
  providers.apply({ added, changed, removed } satisfies ToolChange)
  engine?.changed([...put, ...removed].map(({ id }) => id))
  saveLater()
}

/** Once the tools have been unchanged for a while, so that a kill costs no build. */
function saveLater(): void {
  clearTimeout(saving)
  saving = setTimeout(() => void providers.save(), setup.saveAfterMs)
}

async function search({ id, strategy, request, scope }: ThreadRequest & { kind: 'search' }): Promise<ThreadReply> {
  const stop = new AbortController()
  searches.set(id, stop)
  await filled.promise
  const within = scope && scopes.scopeOf(scope.name, scope.rule)
  if (scope !== undefined && within === undefined) return { kind: 'scope-unknown', id }
  const asked: SearchRequest = { ...request, ...(within !== undefined && { within }), signal: stop.signal }
  stop.signal.throwIfAborted()
  const answer = engine?.answers(strategy)
    ? await engine.search(strategy, asked, within)
    : await providers.provider(strategy).search(asked)
  return { kind: 'found', id, answer }
}

async function answer(request: ThreadRequest & { id: number }): Promise<ThreadReply> {
  const { id } = request
  if (request.kind === 'search') return search(request)
  if (request.kind === 'ping') return { kind: 'done', id }
  await filled.promise
  if (request.kind === 'built') await Promise.all([providers.built(), engine?.settled()])
  if (request.kind === 'save') await providers.save()
  return { kind: 'done', id }
}

function sentError(error: unknown): SentError {
  const { code, message, details } = error as Partial<SentError>
  return { ...(typeof code === 'string' && { code }), message: String(message), details: details ?? {} }
}

listen((request) => {
  if (request.kind === 'change') return change(request.put, request.remove)
  if (request.kind === 'cancel') return searches.get(request.id)?.abort()
  if (request.kind === 'role') return void filled.promise.then(() => engine?.become(request.role))
  if (request.kind === 'open') {
    return void filled.promise.then(() => engine?.answers(request.strategy) || providers.provider(request.strategy))
  }
  if (request.kind === 'filled') {
    isFilled = true
    saveLater()
    return filled.resolve()
  }
  const { id } = request
  answer(request)
    .then(reply, (error: unknown) => reply({ kind: 'failed', id, error: sentError(error) }))
    .finally(() => searches.delete(id))
})
