import { GatewayError } from '../../errors.ts'
import { canonicalText } from '../../model/canonical-json.ts'
import type { StoredServer } from '../../model/stored-state.ts'
import type { AdminCaller } from './admin-caller.ts'

/** The settings of a server that decide which program runs on this machine, and how. */
const PROGRAM_SETTINGS = ['command', 'args', 'env', 'envFile', 'cwd', 'inputs'] as const

/**
 * Refuses acts that must not be possible with a session alone: a session may be stolen, and these acts would outlive it.
 * @param act what the caller wants to do, to be read after "a fresh proof:"
 * @throws GatewayError FRESH_PROOF_REQUIRED
 */
export function requireFreshProof(caller: Pick<AdminCaller, 'isFresh'> | undefined, act: string): void {
  if (caller?.isFresh === true) return
  throw new GatewayError('FRESH_PROOF_REQUIRED', {
    reason: `${act}, and the sign-in is older than five minutes`,
    remedy:
      'Sign in again and repeat the request, or send an admin token in the header "Authorization: Bearer <token>"',
  })
}

/**
 * Refuses new and changed programs without a fresh proof.
 * @throws GatewayError FRESH_PROOF_REQUIRED
 */
export function refuseUnprovenPrograms(
  before: readonly StoredServer[],
  after: readonly StoredServer[],
  caller: Pick<AdminCaller, 'isFresh'> | undefined,
): void {
  const known = new Map(before.map((server) => [server.id, programOf(server)]))
  for (const server of after) {
    const program = programOf(server)
    if (program === undefined || known.get(server.id) === program) continue
    requireFreshProof(caller, `the server ${JSON.stringify(server.id)} would run another program on this machine`)
  }
}

/** The program as text, to be compared; undefined for a server behind a URL. */
function programOf({ config }: StoredServer): string | undefined {
  if (config.command === undefined) return undefined
  return canonicalText(PROGRAM_SETTINGS.map((setting) => config[setting] ?? null))
}
