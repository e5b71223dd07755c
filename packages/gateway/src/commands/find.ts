import type { Verdict } from '@tooldex/search'
import type { Found, FoundHit } from '../clients/mcp/requests/local-client.ts'
import { dataPaths } from '../config/data-paths.ts'
import { localCaller } from '../config/local-access.ts'
import { GatewayError } from '../errors.ts'
import type { CommandContext, CommandGateway, Strategy } from './gateway/context.ts'
import { EXIT } from './terminal/exit-codes.ts'
import { loadConfigFile } from './gateway/load-config-file.ts'
import { ensureTools } from './gateway/ensure-tools.ts'
import type { CommonOptions } from './terminal/command-options.ts'
import { findRunningGateway, type RunningGateway } from './gateway/running-gateway.ts'
import { clean, columns, LONGEST_NAME, pad, paintFor, type Terminal, truncate } from './terminal/terminal.ts'

const FACTS_COLUMN = 58

/** Options of `tooldex find`. */
export interface FindCommandOptions extends CommonOptions {
  readonly max?: number
  readonly strategy?: Strategy
  readonly endpoint?: string
}

/** The answer to a search, as it is printed. */
interface Answer extends Omit<Found, 'hits'> {
  readonly hits: readonly Omit<FoundHit, 'signature'>[]
  /** The number of searched tools; shown in place of the strategy. */
  readonly toolCount?: number
  /** The source of the tools: a running gateway, or the stored lists of the servers. */
  readonly from?: 'gateway' | 'last-known'
}

/** `tooldex find`: prints ranked tools, each with the reason for its rank. */
export async function find(
  words: readonly string[],
  options: FindCommandOptions,
  context: CommandContext,
): Promise<number> {
  const query = words.join(' ').trim()
  const { terminal } = context
  const loaded = await loadConfigFile(options, context)
  // A running gateway searches with the strategy of the endpoint, so another strategy needs a gateway of our own.
  const running =
    options.strategy === undefined
      ? await findRunningGateway(dataPaths(loaded.config.dataDir).runRecord, context.fetch, context.version)
      : undefined
  const answer =
    running === undefined
      ? await (await import('./gateway/open-gateway.ts')).withLocalGateway(loaded, context, (gateway) =>
          findInStoredLists(query, options, gateway, context),
        )
      : await findInRunning(query, options, running, context)
  terminal.out(`${options.json === true ? JSON.stringify(answer) : renderSearch(query, answer, terminal)}\n`)
  return EXIT.ok
}

async function findInStoredLists(
  query: string,
  { max, strategy, endpoint }: FindCommandOptions,
  gateway: CommandGateway,
  context: CommandContext,
): Promise<Answer> {
  await ensureTools(gateway, context)
  const found = await gateway.find([query], {
    ...localCaller(endpoint),
    ...(max !== undefined && { maxResults: max }),
    ...(strategy !== undefined && { strategy }),
  })
  return { ...found, from: 'last-known' }
}

async function findInRunning(
  query: string,
  { max, endpoint }: FindCommandOptions,
  running: RunningGateway,
  context: CommandContext,
): Promise<Answer> {
  const startedAt = context.now()
  const reply = await running.callTool(
    'tool_discovery',
    { query: [query], explain: true, ...(max !== undefined && { maxResults: max }) },
    endpoint,
  )
  if ('error' in reply) throw new GatewayError('INTERNAL', { reason: reply.error.message })
  const content = (reply.result['structuredContent'] ?? {}) as {
    results?: readonly FoundHit[]
    answeredBy?: string
    verdict?: Verdict
    degraded?: { readonly strategy: string; readonly reason: string }
    notice?: string
  }
  return {
    hits: content.results ?? [],
    answeredBy: content.answeredBy ?? 'none',
    ...(content.verdict !== undefined && { verdict: content.verdict }),
    ...(content.degraded !== undefined && { degraded: degradedText(content.degraded, content.answeredBy) }),
    ...(content.notice !== undefined && { notice: content.notice }),
    ms: context.now() - startedAt,
    from: 'gateway',
  }
}

/** The same strategy may answer with another embedding model. */
function degradedText(degraded: { readonly strategy: string; readonly reason: string }, answeredBy?: string): string {
  return degraded.strategy === answeredBy ? degraded.reason : `${degraded.strategy} did not answer (${degraded.reason})`
}

/** A query and its hits, one line each: rank, tool, relevance, reason. */
export function renderSearch(query: string, answer: Answer, terminal: Pick<Terminal, 'width' | 'colours'>): string {
  const { hits, notice } = answer
  const paint = paintFor(terminal)
  const quote = query.includes('"') ? "'" : '"'
  const title = `  find ${quote}${clean(query)}${quote}`
  const gap = ' '.repeat(Math.max(2, FACTS_COLUMN - columns(title)))
  const head = `${paint.bold(title)}${gap}${paint.dim(factsOf(answer).join(', '))}`
  const keys = hits.map(({ toolKey }) => truncate(clean(toolKey), LONGEST_NAME))
  const widest = Math.max(0, ...keys.map(columns))
  const lines = hits.map((hit, index) => {
    const start = `  ${String(index + 1).padStart(2)}  `
    const relevance = `   ${hit.relevance.toFixed(2)}   `
    const reason = clean(hit.explanation ?? hit.description ?? '')
    const shown = truncate(reason, Math.max(10, terminal.width - widest - start.length - relevance.length))
    return `${start}${paint.cyan(pad(keys[index] ?? '', widest))}${relevance}${paint.dim(shown)}`
  })
  const rest = notice ?? (hits.length === 0 ? 'no matches; try other words' : undefined)
  return [head, ...lines, ...(rest === undefined ? [] : [`   ${paint.dim(clean(rest))}`])].join('\n')
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  found: 'found',
  unsure: 'not sure',
  none: 'no tool seems to do this',
}

function factsOf({ ms, answeredBy, verdict, degraded, toolCount, from }: Answer): string[] {
  return [
    ...(verdict === undefined ? [] : [VERDICTS[verdict]]),
    `${ms.toFixed(ms < 1 ? 2 : 1)} ms`,
    ...(toolCount === undefined ? [answeredBy] : [`${toolCount} tools`]),
    ...(degraded === undefined ? [] : [`degraded: ${clean(degraded)}`]),
    ...(from === 'last-known' ? ['from the last known lists'] : []),
  ]
}
