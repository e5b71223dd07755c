import { missingCapability } from './missing-capability.ts'

type Capabilities = Readonly<Record<string, unknown>>

/**
 * What a server is told that it may ask on a connection that clients share. What an answer would change for the others as
 * well is not among it: roots, by which servers decide what anybody may touch, and logins on a page.
 */
export const SHARED_CAPABILITIES = { elicitation: { form: {} }, sampling: { tools: {} } } as const

/** What of a client's capabilities may be declared on a connection that somebody else has after it. */
export function shareableOf(declared: Capabilities): Capabilities {
  const can = (method: string, params = {}): boolean => missingCapability({ method, params }, declared) === undefined
  const sampling = can('sampling/createMessage', { tools: [] }) ? SHARED_CAPABILITIES.sampling : {}
  return {
    ...(can('elicitation/create') && { elicitation: SHARED_CAPABILITIES.elicitation }),
    ...(can('sampling/createMessage') && { sampling }),
  }
}
