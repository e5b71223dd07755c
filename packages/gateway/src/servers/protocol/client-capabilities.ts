import { isRecord } from '@tooldex/http-kit/json'

type Capabilities = Readonly<Record<string, unknown>>

/** What a client would have to declare for a request of a server; undefined = it did. */
export function missingCapability(request: unknown, declared: Capabilities): Capabilities | undefined {
  const needed = isRecord(request) ? neededCapability(request) : undefined
  if (needed === undefined) return { experimental: {} }
  const [name, part] = needed
  const capability = declared[name]
  if (!isRecord(capability)) return { [name]: part === undefined ? {} : { [part]: {} } }
  // Before there were modes, a bare declaration meant forms.
  const isBare = part === 'form' && Object.keys(capability).length === 0
  return part === undefined || isBare || part in capability ? undefined : { [name]: { [part]: {} } }
}

function neededCapability(request: Readonly<Record<string, unknown>>): readonly [string, string?] | undefined {
  const params = isRecord(request['params']) ? request['params'] : {}
  switch (request['method']) {
    case 'elicitation/create':
      return ['elicitation', params['mode'] === 'url' ? 'url' : 'form']
    case 'sampling/createMessage':
      return 'tools' in params || 'toolChoice' in params ? ['sampling', 'tools'] : ['sampling']
    case 'roots/list':
      return ['roots']
    default:
      return undefined
  }
}

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
