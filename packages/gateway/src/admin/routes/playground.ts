import type { RouteAnswer, SearchAnswerShown, SearchQuestion } from '@tooldex/contract/admin'
import { explainAccess, firstObstacle } from '../../access/explain-access.ts'
import { GatewayError } from '../../errors.ts'
import { resolveSettings } from '../../exposure/resolve-settings.ts'
import type { AuditedClient } from '../../model/audit.ts'
import type { Principal } from '../../model/principal.ts'
import type { Project } from '../../model/project.ts'
import type { AdminCaller } from '../access/admin-caller.ts'
import { atField } from '../changes/invalid-request.ts'
import { type AdminContext, principalOf } from './admin-context.ts'
import { adminEndpoint } from './endpoints.ts'
import { principalLike } from './tokens.ts'

const CHARACTERS_PER_TOKEN = 4

type Strategy = SearchAnswerShown['strategy']

/** Searches like a client, with several strategies side by side, and explains which tools were left out. */
export async function searchPlayground(
  ask: SearchQuestion,
  caller: AdminCaller,
  context: AdminContext,
  request: Request,
): Promise<RouteAnswer<'searchTools'>> {
  const project = atField('project', () => context.project(ask.project))
  const { token } = ask
  const principal =
    token === undefined
      ? principalOf(caller)
      : principalLike(
          atField('token', () => context.entries.token(token)),
          caller.tokenId,
        )
  const own = resolveSettings({}, project.disclosure).strategy
  const strategies: readonly Strategy[] = ask.strategies ?? [own ?? 'bm25']
  const queries = typeof ask.query === 'string' ? [ask.query] : ask.query
  const from = context.auditedAs(caller, request)
  const answers = strategies.map((strategy) =>
    answerOf(strategy, queries, ask.maxResults, { project, principal, from, context }),
  )
  return { answers: await Promise.all(answers) }
}

interface Searcher {
  readonly project: Project
  readonly principal: Principal
  readonly from: AuditedClient
  readonly context: AdminContext
}

async function answerOf(
  strategy: Strategy,
  queries: readonly string[],
  maxResults: number,
  searcher: Searcher,
): Promise<SearchAnswerShown> {
  const { project, principal, from, context } = searcher
  try {
    const found = await context.live.client.find(queries, adminEndpoint(project.id), {
      principal,
      from,
      maxResults,
      strategy,
      isPreview: true,
    })
    const { hits, answeredBy, verdict, degraded, notice, ms } = found
    return {
      strategy,
      answeredBy,
      ...(verdict !== undefined && { verdict }),
      ...(degraded !== undefined && { degraded }),
      ...(notice !== undefined && { notice }),
      ms,
      hits: hits.map((hit) => ({ ...hit })),
      tokens: Math.ceil(JSON.stringify(hits).length / CHARACTERS_PER_TOKEN),
      leftOut: await leftOut(strategy, queries, maxResults, searcher),
    }
  } catch (error) {
    // A strategy that fails does not hide the others.
    if (!(error instanceof GatewayError) || error.code === 'NOT_RUNNING') throw error
    return { strategy, answeredBy: 'none', problem: error.message, ms: 0, hits: [], tokens: 0, leftOut: [] }
  }
}

/** The hits among all tools that the token may not use here. For admins only. */
async function leftOut(
  strategy: Strategy,
  queries: readonly string[],
  maxResults: number,
  { project, principal, context }: Searcher,
): Promise<SearchAnswerShown['leftOut']> {
  if (queries.every((query) => query.trim() === '')) return []
  const eligible = context.eligible(project, principal)
  const { hits } = await context.live.catalog.provider(strategy).search({ queries, maxResults: maxResults * 2 })
  const basis = {
    principal,
    project,
    projects: context.model.projects,
    serverTools: context.model.serverTools,
    catalog: context.catalog,
    now: context.parts.now(),
    troubleOf: (id: string) => context.statusOf(id),
  }
  return hits
    .filter(({ id }) => !eligible.has(id))
    .slice(0, maxResults)
    .map(({ id, relevance }) => ({
      toolKey: id,
      relevance,
      reason: firstObstacle(explainAccess(id, basis))?.answer ?? 'The tool has just been added',
    }))
}
