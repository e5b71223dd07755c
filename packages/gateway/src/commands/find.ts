import { dataPaths } from '../config/data-paths.ts'
import { localCaller } from '../config/local-access.ts'
import { GatewayError } from '../errors.ts'
import type { CommandContext, CommonOptions } from './context.ts'
import { EXIT } from './exit-codes.ts'
import type { CommandGateway, FindAnswer, FindHit, Strategy } from './gateway.ts'
import { loadGiven } from './load-given.ts'
import { meetServers } from './meet-servers.ts'
import { renderFinding } from './render-finding.ts'
import { findRunningGateway, type RunningGateway } from './running-gateway.ts'

/** What `tooldex find` takes. */
export interface FindCommandOptions extends CommonOptions {
  readonly max?: number
  readonly strategy?: Strategy
  readonly endpoint?: string
}

interface Finding extends FindAnswer {
  /** Where the answer comes from: a gateway that runs, or the lists that servers gave last. */
  readonly from: 'gateway' | 'last-known'
  readonly notice?: string
}

/** `tooldex find`: ranked hits in the terminal, with why. */
export async function find(
  words: readonly string[],
  options: FindCommandOptions,
  context: CommandContext,
): Promise<number> {
  const query = words.join(' ').trim()
  const { terminal } = context
  const loaded = await loadGiven(options, context)
  // A strategy of one's own is not something that an endpoint can be asked for.
  const running =
    options.strategy === undefined
      ? await findRunningGateway(dataPaths(loaded.config.dataDir).runRecord, context.fetch, context.version)
      : undefined
  const finding =
    running === undefined
      ? await (await import('./open-gateway.ts')).withQuietGateway(loaded, context, (gateway) =>
          findInLastKnown(query, options, gateway, context),
        )
      : await findInRunning(query, options, running, context)
  if (options.json === true) terminal.out(`${JSON.stringify(finding)}\n`)
  else terminal.out(`${renderFinding({ query, ...finding }, terminal)}\n`)
  return EXIT.ok
}

async function findInLastKnown(
  query: string,
  { max, strategy, endpoint }: FindCommandOptions,
  gateway: CommandGateway,
  context: CommandContext,
): Promise<Finding> {
  await meetServers(gateway, context)
  const answer = await gateway.find([query], {
    ...localCaller(endpoint),
    ...(max !== undefined && { maxResults: max }),
    ...(strategy !== undefined && { strategy }),
  })
  return { ...answer, from: 'last-known' }
}

async function findInRunning(
  query: string,
  { max, endpoint }: FindCommandOptions,
  running: RunningGateway,
  context: CommandContext,
): Promise<Finding> {
  const startedAt = context.now()
  const answer = await running.callTool(
    'tool_discovery',
    { query: [query], ...(max !== undefined && { maxResults: max }) },
    endpoint,
  )
  if ('error' in answer) throw new GatewayError('INTERNAL', { reason: answer.error.message })
  const content = (answer.result['structuredContent'] ?? {}) as {
    results?: readonly FindHit[]
    answeredBy?: string
    degraded?: { readonly strategy: string; readonly reason: string }
    notice?: string
  }
  return {
    hits: content.results ?? [],
    answeredBy: content.answeredBy ?? 'none',
    ...(content.degraded !== undefined && { degraded: `${content.degraded.strategy}: ${content.degraded.reason}` }),
    ...(content.notice !== undefined && { notice: content.notice }),
    ms: context.now() - startedAt,
    from: 'gateway',
  }
}
