import { isRecord } from '@tooldex/http-kit/json'
import type { ServerDefinition } from '../../model/server.ts'

type Capabilities = Readonly<Record<string, unknown>>

/** The capability that a client lacks for a request of a server; undefined if it has declared it. */
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
 * The capabilities in which one client may answer on a connection that others use, too. Those whose answers would affect the
 * other clients are not among them: roots, by which servers decide what may be touched, and logins on a page.
 */
export const SHARED_CAPABILITIES = { elicitation: { form: {} }, sampling: { tools: {} } } as const

/**
 * The capabilities that the shared process of a program is told. A program that can have a process for each client learns of
 * those that only such a process can use, or it would not list the tools that need them.
 */
export function sharedCapabilities({ instances, roots }: Pick<ServerDefinition, 'instances' | 'roots'>): Capabilities {
  if (instances === 'shared') return SHARED_CAPABILITIES
  const { elicitation, sampling } = SHARED_CAPABILITIES
  return { elicitation: { ...elicitation, url: {} }, sampling, ...(roots && { roots: { listChanged: true } }) }
}

/** The capabilities of a client that may be declared on a connection that another client uses later. */
export function shareableOf(declared: Capabilities): Capabilities {
  const can = (method: string, params = {}): boolean => missingCapability({ method, params }, declared) === undefined
  const sampling = can('sampling/createMessage', { tools: [] }) ? SHARED_CAPABILITIES.sampling : {}
  return {
    ...(can('elicitation/create') && { elicitation: SHARED_CAPABILITIES.elicitation }),
    ...(can('sampling/createMessage') && { sampling }),
    ...(showsUi(declared) && { extensions: { [UI_EXTENSION]: { mimeTypes: [APP_TYPE] } } }),
  }
}

/** The extension of MCP Apps, and the type of the pages that show results. */
const UI_EXTENSION = 'io.modelcontextprotocol/ui'
const APP_TYPE = 'text/html;profile=mcp-app'

/** Whether a client shows results as apps. */
export function showsUi({ extensions }: Capabilities): boolean {
  return isRecord(extensions) && isRecord(extensions[UI_EXTENSION])
}
