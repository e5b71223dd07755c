import { type AdminLearnedUse, JUDGED_BY } from '@tooldex/contract/admin'
import { keptQuery } from '@tooldex/search'
import type { EligibleTools } from '../../access/eligible-tools.ts'
import { tidyQuery } from '../../audit/audit-feed.ts'
import { resolveSettings } from '../../exposure/resolve-settings.ts'
import type { StoredUse, UseCondition } from '../../model/learned-use.ts'
import type { AdminContext, Handlers } from './admin-context.ts'

/** Routes about what searches learnt. */
export function learnedHandlers(context: AdminContext) {
  return {
    listLearned: async ({ params, query }) => {
      const project = context.project(params.project)
      await context.parts.live?.learnt?.exchange()
      const uses = await context.parts.store.learned.all(project.id)
      const matching = uses.filter((use) => isMatch(use, query)).toReversed()
      const { entries } = context
      const eligible = context.eligible(project)
      return {
        state: stateOf(context, project.id),
        total: matching.length,
        items: matching.slice(0, query.limit).map((use) => shown(use, entries, eligible)),
      }
    },
    importLearned: async ({ params, body }) => {
      const { id: projectId } = context.project(params.project)
      const now = context.parts.now()
      const uses = body.items.flatMap(({ query, at, ...use }) => {
        const text = keptQuery(tidyQuery(query))
        return text === '' ? [] : [{ ...use, projectId, query: text, at: Math.min(at, now) }]
      })
      await context.parts.store.learned.put(uses)
      await context.parts.live?.learnt?.reload(projectId)
      return { stored: uses.length }
    },
    forgetLearned: async ({ params, query }) => {
      const { id } = context.project(params.project)
      const condition: UseCondition = {
        ...(query.query !== undefined && { query: keptQuery(query.query) }),
        ...(query.tool !== undefined && { toolKey: query.tool }),
        ...(query.token !== undefined && { tokenId: query.token }),
      }
      return { forgotten: await forgetUses(context, id, condition) }
    },
  } satisfies Partial<Handlers>
}

/** Forgets uses in the store and in a running gateway. */
export function forgetUses({ parts }: AdminContext, projectId: string, condition?: UseCondition): Promise<number> {
  return (parts.live?.learnt ?? parts.store.learned).forget(projectId, condition)
}

function stateOf({ model, parts }: AdminContext, projectId: string): 'on' | 'off' | 'off-everywhere' {
  if (parts.live !== undefined && parts.live.learnt === undefined) return 'off-everywhere'
  return resolveSettings({}, model.projects.get(projectId)?.disclosure ?? {}).learning ? 'on' : 'off'
}

interface Wanted {
  readonly query?: string | undefined
  readonly tool?: string | undefined
  readonly token?: string | undefined
}

function isMatch(use: StoredUse, { query, tool, token }: Wanted): boolean {
  if (query !== undefined && !use.query.includes(keptQuery(query))) return false
  return (tool === undefined || use.toolKey === tool) && (token === undefined || use.tokenId === token)
}

function shown(use: StoredUse, entries: AdminContext['entries'], eligible: EligibleTools): AdminLearnedUse {
  const { query, toolKey, tokenId, weight, at } = use
  const tokenName = tokenId === JUDGED_BY ? 'search page' : entries.tokenName(tokenId)
  return {
    query,
    toolKey,
    tokenId,
    ...(tokenName !== undefined && { tokenName }),
    weight,
    at,
    ...(!eligible.has(toolKey) && { isGone: true as const }),
  }
}
