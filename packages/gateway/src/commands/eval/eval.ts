import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { IndexedTool } from '@tooldex/search'
import { type EligibleTools, eligibleTools } from '../../access/eligible-tools.ts'
import { aboutServer, indexedTool } from '../../catalog/search-index/indexed-tools.ts'
import { type OpenStrategies, openStrategies } from '../../catalog/search-index/open-strategies.ts'
import { dataPaths } from '../../config/data-paths.ts'
import { localCaller } from '../../config/local-access.ts'
import { GatewayError } from '../../errors.ts'
import { resolveSettings } from '../../exposure/resolve-settings.ts'
import { DEFAULT_ENDPOINT } from '../../model/gateway-model.ts'
import type { CommandContext, CommandGateway, Strategy } from '../gateway/context.ts'
import { type CommonOptions, EVAL_STRATEGIES } from '../terminal/command-options.ts'
import { queriesFromAudit } from './audit-queries.ts'
import { confusablePairs } from './confusable-tools.ts'
import { Progress } from './progress.ts'
import { proposeDescriptions } from './proposals.ts'
import { type JudgedQuery, type KnownTools, readQueries } from './queries.ts'
import { EvalRanker, type StrategyOutcome } from './ranker.ts'
import { type Evaluation, evaluationJson, renderEvaluation } from './report.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { loadConfigFile } from '../gateway/load-config-file.ts'
import { ensureTools } from '../gateway/ensure-tools.ts'

/** Options of `tooldex eval`. */
export interface EvalOptions extends CommonOptions {
  readonly queries?: string
  readonly fromAudit?: boolean
  readonly strategy?: readonly Strategy[]
  readonly endpoint?: string
}

/** Without `regex`: queries in words are rarely regular expressions. */
const DEFAULT_STRATEGIES: readonly Strategy[] = ['lexical', 'bm25', 'embeddings', 'hybrid']
const MOST_BYTES = 50 * 1024 * 1024

/** `tooldex eval`: measures how well search finds the user's tools for the user's queries, and proposes improvements. */
export async function evaluate(options: EvalOptions, context: CommandContext): Promise<number> {
  const file = queriesFile(options)
  const loaded = await loadConfigFile(options, context)
  const text = file === undefined ? '' : await readText(resolve(context.environment.cwd, file), file)
  const { openCommandLogger, withLocalGateway } = await import('../gateway/open-gateway.ts')
  const subject = await withLocalGateway(loaded, context, async (gateway) => {
    await ensureTools(gateway, context)
    return subjectOf(gateway, options.endpoint)
  })
  const queries =
    file === undefined
      ? await queriesFromAudit(options, context, { projectId: subject.projectId, eligible: subject.known.eligible })
      : readQueries(file, text, subject.known)
  const { config } = loaded
  const log = openCommandLogger('warn', context)
  const vectorsFolder = dataPaths(config.dataDir).vectors
  const open = openStrategies({ vectorsFolder, embeddings: config.embeddings, log: log.logger })
  const progress = new Progress(context)
  try {
    const evaluation = await evaluationOf({ subject, queries, open, progress, wanted: options.strategy })
    progress.end()
    const { terminal } = context
    if (options.json === true) terminal.out(`${JSON.stringify(evaluationJson(evaluation))}\n`)
    else terminal.out(`${renderEvaluation(evaluation, terminal)}\n`)
  } finally {
    await open.embedders.close()
    log.flush()
  }
  return EXIT.ok
}

interface Task {
  readonly subject: EvalSubject
  readonly queries: readonly JudgedQuery[]
  readonly open: OpenStrategies
  readonly progress: Progress
  readonly wanted: readonly Strategy[] | undefined
}

async function evaluationOf(task: Task): Promise<Evaluation> {
  const { subject, queries, open, progress } = task
  const own = ownStrategy(subject)
  const names = new Set([...(task.wanted ?? DEFAULT_STRATEGIES), own])
  const outcomes: StrategyOutcome[] = []
  let ours: { readonly ranker: EvalRanker; readonly outcome: StrategyOutcome } | undefined
  for (const name of EVAL_STRATEGIES.filter((each) => names.has(each))) {
    const ranker = await EvalRanker.open(name, open.strategies, subject.tools, progress)
    const outcome = await ranker.rankAll(queries)
    outcomes.push(outcome)
    if (name === own) ours = { ranker, outcome }
  }
  if (ours === undefined) throw new GatewayError('INTERNAL', { reason: `${own} was not measured` })
  const { ranker, outcome } = ours
  const proposals = await proposeDescriptions({
    tools: new Map(subject.tools.map((tool) => [tool.id, tool])),
    outcomes: outcome.outcomes,
    tryWith: (tool, some) => ranker.rankAllWith(tool, some),
    onStep: (done, total) => progress.show(`descriptions  ${done} of ${total} tried`),
  })
  return {
    tools: subject.tools.length,
    queries: queries.length,
    strategies: outcomes,
    ours: outcome,
    confusable: await confusableTools(subject.tools, outcome, open),
    proposals,
  }
}

/** The strategy of the endpoint; the built-in default where search is off or runs elsewhere. */
function ownStrategy({ strategy }: EvalSubject): Strategy {
  return EVAL_STRATEGIES.find((each) => each === strategy) ?? 'hybrid'
}

async function confusableTools(
  tools: readonly IndexedTool[],
  { outcomes }: StrategyOutcome,
  { embedders }: OpenStrategies,
): Promise<Evaluation['confusable']> {
  for (const embedder of await embedders.open()) {
    if (embedder.embedNow !== undefined) return confusablePairs(tools, outcomes, (text) => embedder.embedNow?.(text))
  }
  return []
}

/** The file with the queries; undefined if they come from the audit log. */
function queriesFile({ queries, fromAudit }: EvalOptions): string | undefined {
  if (fromAudit === true) return undefined
  if (queries !== undefined) return queries
  throw new GatewayError('INVALID_ARGUMENTS', {
    reason: 'no queries were given',
    remedy: 'Pass a file: tooldex eval --queries queries.jsonl, or take recorded searches: tooldex eval --from-audit',
  })
}

async function readText(path: string, shown: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > MOST_BYTES) throw new GatewayError('INVALID_ARGUMENTS', { reason: `${shown} is larger than 50 MB` })
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof GatewayError) throw error
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason'
    const remedy = 'Give a JSON Lines file: tooldex eval --queries queries.jsonl'
    throw new GatewayError(
      'INVALID_ARGUMENTS',
      { reason: `${shown} cannot be read (${code})`, remedy },
      { cause: error },
    )
  }
}

/** The tools of an endpoint, as its clients search them. */
interface EvalSubject {
  /** In id order; ids are tool keys. */
  readonly tools: readonly IndexedTool[]
  readonly known: KnownTools
  readonly projectId: string
  /** The strategy of the endpoint; null where search is off. */
  readonly strategy: string | null
}

/** @throws GatewayError ENDPOINT_NOT_FOUND, or SERVER_STOPPED where no tool is known. */
function subjectOf(gateway: CommandGateway, endpointId: string | undefined): EvalSubject {
  const { principal, endpointId: id } = localCaller(endpointId)
  const { endpoints, projects, serverTools } = gateway.models.current()
  const endpoint = endpoints.get(id)
  const project = endpoint === undefined ? undefined : projects.get(endpoint.projectId)
  if (endpoint === undefined || project === undefined) {
    const name = endpointId ?? DEFAULT_ENDPOINT
    throw new GatewayError('ENDPOINT_NOT_FOUND', { endpoint: name, reason: `the configuration has none named ${name}` })
  }
  const snapshot = gateway.catalog.snapshot()
  const eligible = eligibleTools(principal, project, serverTools, snapshot)
  if (eligible.size === 0) {
    throw new GatewayError('SERVER_STOPPED', {
      reason: 'no tools of this endpoint are known yet',
      remedy: 'Start `tooldex serve` once; later evaluations work without it',
    })
  }
  return {
    tools: searchedTools(eligible),
    known: { eligible: new Set(eligible.list.map(({ key }) => key)), all: new Set(snapshot.tools.keys()) },
    projectId: project.id,
    strategy: resolveSettings(endpoint.disclosure, project.disclosure).strategy,
  }
}

function searchedTools({ list, servers, project }: EligibleTools): readonly IndexedTool[] {
  const about = new Map(servers.map(({ id, instructions }) => [id, aboutServer(instructions)]))
  const tools = list.map((tool) => ({
    ...indexedTool(tool, about.get(tool.serverId), project.tools.get(tool.key)?.description),
    id: tool.key,
  }))
  return tools.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
