import {
  type ConfigProblem,
  type EndpointConfig,
  placeOf,
  type ProjectConfig,
  type ServerConfig,
  type TokenConfig,
} from '@tooldex/contract'
import type { AdminExport, ImportPlan, RouteQuery } from '@tooldex/contract/admin'
import type { AdminCaller } from '../access/admin-caller.ts'
import { requireFreshProof } from '../access/fresh-proof.ts'
import { Draft } from '../changes/draft.ts'
import { applyImport, type ImportEntry, type Incoming, readImport } from '../changes/import-changes.ts'
import { InvalidRequest } from '../changes/invalid-request.ts'
import { PIN_DECISIONS } from '../../model/pins.ts'
import { maskServer } from '../../model/server-secrets.ts'
import type { AdminContext, Handlers } from './admin-context.ts'

/** Routes that export and import the configuration. */
export function importExportHandlers(context: AdminContext) {
  return {
    exportAll: ({ query, caller }) => {
      if (query.secrets) requireFreshProof(caller, 'secrets leave the gateway')
      return exportAll(query, context)
    },
    importAll: ({ query, body, caller }) => importAll(body, query, context, caller),
  } satisfies Partial<Handlers>
}

/** Exports the configuration in the shape of a file, without admin tokens: another gateway creates its own. */
function exportAll({ secrets, scope }: RouteQuery<'exportAll'>, { entries, parts }: AdminContext): AdminExport {
  const isIn = ({ managedBy }: { readonly managedBy: string }): boolean =>
    managedBy === 'store' || (managedBy === 'file' && scope === 'all')
  const byId = <Config>(all: readonly { id: string; managedBy: string; config: Config }[]): Record<string, Config> =>
    Object.fromEntries(all.filter(isIn).map(({ id, config }) => [id, config]))
  const servers: Record<string, ServerConfig> = byId(entries.servers())
  const shown = Object.entries(servers).map(([id, config]) => [id, secrets ? config : maskServer(config)] as const)
  const projects: Record<string, ProjectConfig> = byId(entries.projects())
  const endpoints: Record<string, EndpointConfig> = byId(entries.endpoints())
  return {
    format: 'tooldex-export',
    version: 1,
    exportedAt: parts.now(),
    hasSecrets: secrets,
    config: { mcpServers: Object.fromEntries(shown), projects, endpoints, tokens: exportedTokens(entries, scope) },
    settings: Object.fromEntries([...entries.state.settings].filter(([name]) => name !== PIN_DECISIONS)),
  }
}

/** Applies an import, or reports its effects with `dryRun`. @throws InvalidRequest if it cannot be applied */
async function importAll(
  body: unknown,
  { dryRun }: RouteQuery<'importAll'>,
  context: AdminContext,
  caller: AdminCaller,
): Promise<ImportPlan> {
  const incoming = readImport(body)
  if (dryRun) {
    const draft = new Draft(context.entries.state, context.parts.now())
    const { entries, problems } = planOn(draft, incoming, context)
    const all = problems.length > 0 ? problems : context.administration.check(draft.state)
    return { isApplied: false, entries, problems: all.map(shownProblem) }
  }
  const apply = (draft: Draft): ImportEntry[] => {
    const plan = planOn(draft, incoming, context)
    if (plan.problems.length > 0) throw new InvalidRequest(plan.problems)
    return plan.entries
  }
  const entries = await context.administration.change(undefined, apply, caller)
  return { isApplied: true, entries, problems: [] }
}

function planOn(
  draft: Draft,
  incoming: Incoming,
  context: AdminContext,
): { entries: ImportEntry[]; problems: ConfigProblem[] } {
  const problems: ConfigProblem[] = []
  const entries = [...applyImport(draft, incoming, context.entries, problems), ...incoming.ignored]
  return { entries, problems }
}

function exportedTokens(entries: AdminContext['entries'], scope: 'all' | 'store'): TokenConfig[] {
  return entries
    .tokensAsDeclared()
    .filter((token) => scope === 'all' || token.managedBy === 'store')
    .map(({ config }) => config)
}

const shownProblem = ({ path, message }: ConfigProblem) => ({ path: placeOf(path), message })
