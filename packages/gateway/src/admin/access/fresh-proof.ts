import { GatewayError } from '../../errors.ts'
import { canonicalText } from '../../model/canonical-json.ts'
import type { StoredServer } from '../../model/stored-state.ts'
import type { AdminCaller } from './admin-caller.ts'

/** The settings of a server that decide which program runs on this machine, and how. */
const PROGRAM_SETTINGS = ['command', 'args', 'env', 'envFile', 'cwd', 'inputs'] as const

/** A reference that reads something of this machine; an input is a value that an administrator entered. */
const REFERENCE = /\$\{(?!input:)/

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
 * Refuses new and changed programs without a fresh proof, and servers behind a URL that would be sent values of this
 * machine: a reference such as `${HOME_SECRET}` or `${file:…}` reads the gateway's environment and files.
 * @throws GatewayError FRESH_PROOF_REQUIRED
 */
export function refuseUnprovenPrograms(
  before: readonly StoredServer[],
  after: readonly StoredServer[],
  caller: Pick<AdminCaller, 'isFresh'> | undefined,
): void {
  const known = new Map(before.map((server) => [server.id, server]))
  for (const server of after) {
    const old = known.get(server.id)
    if (old === server) continue
    const settings = guardedSettings(server)
    if (settings === undefined || (old !== undefined && guardedSettings(old) === settings)) continue
    const act =
      server.config.command === undefined
        ? 'be sent other values of this machine'
        : 'run another program on this machine'
    requireFreshProof(caller, `the server ${JSON.stringify(server.id)} would ${act}`)
  }
}

/** The settings to be compared, as text; undefined for a server behind a URL without references. */
function guardedSettings({ config }: StoredServer): string | undefined {
  if (config.command !== undefined) return canonicalText(PROGRAM_SETTINGS.map((setting) => config[setting] ?? null))
  const sent = canonicalText([config.url ?? null, config.headers ?? null])
  return REFERENCE.test(sent) ? sent : undefined
}
