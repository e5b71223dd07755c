import type { RouteAnswer } from '@tooldex/contract/admin'
import type { CatalogSnapshot } from '../../catalog/catalog.ts'
import type { HeldDefinition } from '../../catalog/review-definitions.ts'
import { inSlices } from '../../in-slices.ts'
import { GatewayError } from '../../errors.ts'
import { type ScannedServer, scanServers } from '../../trust/scanner/scan-servers.ts'
import type { AdminContext, Handlers } from './admin-context.ts'

/** The route about findings of the scanner. */
export function findingHandlers(context: AdminContext) {
  return {
    listFindings: ({ query }) => findings(query.server, context),
  } satisfies Partial<Handlers>
}

async function findings(
  only: string | undefined,
  { approvals, catalog, model }: AdminContext,
): Promise<RouteAnswer<'listFindings'>> {
  if (only !== undefined && !model.servers.some(({ id }) => id === only)) {
    throw new GatewayError('SERVER_NOT_FOUND', { server: only })
  }
  const { acceptedFindings: accepted } = model
  const options = { ...(accepted !== undefined && { accepted }), ...(only !== undefined && { only }) }
  const scan = await inSlices(scanServers(scannedServers(catalog, approvals.held()), options))
  return { ...scan, findings: [...scan.findings] }
}

/** The servers of a catalog as the scanner reads them, with what is held for approval, which the catalog does not have. */
export function scannedServers({ servers }: CatalogSnapshot, held: readonly HeldDefinition[]): ScannedServer[] {
  return servers.map(({ id, instructions, tools, prompts, resources, resourceTemplates }) => {
    const waiting = (kind: HeldDefinition['kind']) =>
      held.filter((each) => each.serverId === id && each.kind === kind).map(({ definition }) => ({ ...definition }))
    return {
      id,
      ...(instructions !== undefined && { instructions }),
      tools: [...Array.from(tools.values(), ({ definition }) => ({ ...definition })), ...waiting('tool')],
      prompts: [...prompts, ...waiting('prompt')],
      resources,
      resourceTemplates: [...resourceTemplates, ...waiting('resource-template')],
    }
  })
}
