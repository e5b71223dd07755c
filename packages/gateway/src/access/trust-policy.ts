import type { GatewayModel } from '../model/gateway-model.ts'
import { TRUST_MODES, type TrustMode } from '../model/pins.ts'

/** The strictest of the modes that are set; `standard` if none is. */
export function strictestTrust(modes: readonly (TrustMode | undefined)[]): TrustMode {
  return TRUST_MODES.findLast((mode) => modes.includes(mode)) ?? 'standard'
}

/** What people decided about the changes of a server: the mode, and the tools that some rule denies. */
export function trustPolicy(
  { trust, serverTools, projects }: GatewayModel,
  serverId: string,
): { readonly mode: TrustMode; readonly denied: ReadonlySet<string> } {
  const denied = new Set<string>()
  for (const [name, isAllowed] of Object.entries(serverTools.get(serverId) ?? {})) if (!isAllowed) denied.add(name)
  const prefix = `${serverId}:`
  for (const { tools } of projects.values()) {
    for (const [key, { allowed }] of tools) {
      if (allowed === false && key.startsWith(prefix)) denied.add(key.slice(prefix.length))
    }
  }
  return { mode: trust.get(serverId) ?? 'standard', denied }
}
