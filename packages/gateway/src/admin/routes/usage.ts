import type { AdminServerUsage, AdminToolUsage } from '@tooldex/contract/admin'
import { type ToolUsage, USAGE_STEPS } from '../../model/audit.ts'
import type { AdminContext, Handlers } from './admin-context.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

/** The route about the use of tools and servers. */
export function usageHandlers({ parts: { store, now } }: AdminContext) {
  return {
    getUsage: async ({ query: { project, server, tool, days } }) => {
      const from = Math.max(0, now() - days * DAY_MS)
      const tools = await store.audit.usage({
        from,
        ...(project !== undefined && { projectId: project }),
        ...(server !== undefined && { serverId: server }),
        ...(tool !== undefined && { toolKey: tool }),
      })
      return {
        from,
        tools: tools.map(toolAnswer).toSorted(byCalls(({ tool: key }) => key)),
        servers: byServer(tools).toSorted(byCalls(({ server: id }) => id)),
      }
    },
  } satisfies Partial<Handlers>
}

function toolAnswer(usage: ToolUsage): AdminToolUsage {
  const { toolKey: tool, serverId: server } = usage
  return { tool, server, ...figuresOf([usage]) }
}

function byServer(tools: readonly ToolUsage[]): AdminServerUsage[] {
  const groups = Map.groupBy(tools, ({ serverId }) => serverId)
  return [...groups].map(([server, usages]) => ({ server, ...figuresOf(usages) }))
}

function figuresOf(usages: readonly ToolUsage[]): Omit<AdminServerUsage, 'server'> {
  const durations = new Map<number, number>()
  for (const usage of usages) {
    for (const [step, calls] of usage.durations) durations.set(step, (durations.get(step) ?? 0) + calls)
  }
  const [p50Ms, p95Ms] = [percentile(durations, 0.5), percentile(durations, 0.95)]
  return {
    calls: usages.reduce((sum, { calls }) => sum + calls, 0),
    errors: usages.reduce((sum, { errors }) => sum + errors, 0),
    ...(p50Ms !== undefined && { p50Ms }),
    ...(p95Ms !== undefined && { p95Ms }),
    lastAt: Math.max(...usages.map(({ lastAt }) => lastAt)),
  }
}

/** The middle of the step that has the call at this part of all calls. */
function percentile(durations: ReadonlyMap<number, number>, part: number): number | undefined {
  const steps = [...durations].toSorted(([one], [other]) => one - other)
  let left = Math.ceil(part * steps.reduce((sum, [, calls]) => sum + calls, 0))
  for (const [step, calls] of steps) {
    left -= calls
    if (left <= 0) return Number(Math.exp((step + 0.5) / USAGE_STEPS).toPrecision(3))
  }
  return undefined
}

function byCalls<Usage extends { readonly calls: number }>(idOf: (usage: Usage) => string) {
  return (one: Usage, other: Usage): number =>
    other.calls - one.calls || (idOf(one) < idOf(other) ? -1 : Number(idOf(one) > idOf(other)))
}
