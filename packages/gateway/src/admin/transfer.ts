import type { ConfigProblem, EndpointConfig, ProjectConfig, ServerConfig, TokenConfig } from '@tooldex/contract'
import type { AdminExport, ImportPlan, RouteQuery } from '@tooldex/contract/admin'
import { placeOf } from '@tooldex/contract'
import type { AdminPicture } from './picture.ts'
import { Draft } from './draft.ts'
import { type ImportEntry, type Incoming, readImport } from './read-import.ts'
import { applyImport } from './apply-import.ts'
import { InvalidRequest } from './invalid-request.ts'
import { maskServer } from './mask-secrets.ts'

/** Everything that was decided, in the shape of a file. Admin tokens stay: another gateway makes its own. */
export function exportAll({ secrets, scope }: RouteQuery<'exportAll'>, { entries, parts }: AdminPicture): AdminExport {
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
    settings: Object.fromEntries(entries.state.settings),
  }
}

/** Says what an import would do, or does it. @throws InvalidRequest when it is to be applied and cannot be */
export async function importAll(
  body: unknown,
  { dryRun }: RouteQuery<'importAll'>,
  picture: AdminPicture,
): Promise<ImportPlan> {
  const incoming = readImport(body)
  if (dryRun) {
    const draft = new Draft(picture.entries.state, picture.parts.now())
    const { entries, problems } = planOn(draft, incoming, picture)
    const all = problems.length > 0 ? problems : picture.administration.check(draft.state)
    return { isApplied: false, entries, problems: all.map(shownProblem) }
  }
  const entries = await picture.administration.change(undefined, (draft) => {
    const plan = planOn(draft, incoming, picture)
    if (plan.problems.length > 0) throw new InvalidRequest(plan.problems)
    return plan.entries
  })
  return { isApplied: true, entries, problems: [] }
}

function planOn(
  draft: Draft,
  incoming: Incoming,
  picture: AdminPicture,
): { entries: ImportEntry[]; problems: ConfigProblem[] } {
  const problems: ConfigProblem[] = [...incoming.problems]
  const entries = [...applyImport(draft, incoming, picture.entries, problems), ...incoming.ignored]
  return { entries, problems }
}

function exportedTokens(entries: AdminPicture['entries'], scope: 'all' | 'store'): TokenConfig[] {
  return entries
    .tokensAsDeclared()
    .filter((token) => scope === 'all' || token.managedBy === 'store')
    .map(({ config }) => config)
}

const shownProblem = ({ path, message }: ConfigProblem) => ({ path: placeOf(path), message })
