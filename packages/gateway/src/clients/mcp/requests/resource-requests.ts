import { type ResourceTarget, ResourceUris } from '../../../catalog/resource-uris.ts'
import { GatewayError } from '../../../errors.ts'
import type { RawResult } from '../../../servers/server.ts'
import type { EndpointView } from './endpoint-view.ts'
import type { Forwarder } from './forwarder.ts'
import type { Caller } from './request-handler.ts'

type Params = Readonly<Record<string, unknown>>
type Item = Readonly<Record<string, unknown>>

/** `resources/list`: the resources of all servers under unique URIs. */
export function listResources({ servers }: EndpointView): RawResult {
  const uris = new ResourceUris(servers)
  return {
    resources: servers.flatMap((server) =>
      server.resources.map((item) => withUri(item, 'uri', (uri) => uris.exposedUri(server, uri))),
    ),
  }
}

/** `resources/templates/list`: the templates of all servers under unique URIs. */
export function listResourceTemplates({ servers }: EndpointView): RawResult {
  const uris = new ResourceUris(servers)
  const exposed = servers.flatMap((server) =>
    server.resourceTemplates.map((item) => withUri(item, 'uriTemplate', (uri) => uris.exposedUri(server, uri))),
  )
  return { resourceTemplates: exposed }
}

/** `resources/read`, by the server that has it; the contents come back under the URI that was asked for. */
export async function readResource(
  params: Params,
  view: EndpointView,
  caller: Caller,
  forward: Forwarder,
): Promise<RawResult> {
  const { server, uri } = resourceTarget(params['uri'], view)
  const result = await forward(server.id, { method: 'resources/read', params: { ...params, uri } }, caller)
  if (uri === params['uri'] || !Array.isArray(result['contents'])) return result
  const uris = new ResourceUris(view.servers)
  const contents = (result['contents'] as readonly Item[]).map((item) =>
    withUri(item, 'uri', (each) => (each === uri ? String(params['uri']) : uris.exposedUri(server, each))),
  )
  return { ...result, contents }
}

/** `resources/subscribe` and `resources/unsubscribe`. */
export function subscribeResource(
  method: string,
  params: Params,
  view: EndpointView,
  { caller, forward }: { readonly caller: Caller; readonly forward: Forwarder },
): Promise<RawResult> {
  const { server, uri } = resourceTarget(params['uri'], view)
  return forward(server.id, { method, params: { ...params, uri } }, caller)
}

/** Finds the server of a URI among those that the caller may use. @throws GatewayError RESOURCE_NOT_FOUND */
export function resourceTarget(uri: unknown, { servers }: EndpointView): ResourceTarget {
  const target = typeof uri === 'string' ? new ResourceUris(servers).targetOf(uri) : undefined
  if (target !== undefined) return target
  throw new GatewayError('RESOURCE_NOT_FOUND', {
    uri: String(uri),
    reason: `no server here offers ${JSON.stringify(uri)}`,
    remedy: 'Ask resources/list and resources/templates/list for what there is',
  })
}

function withUri(item: Item, field: string, exposed: (uri: string) => string): Item {
  const uri = item[field]
  return typeof uri === 'string' ? { ...item, [field]: exposed(uri) } : item
}
