import type { EndpointConfig } from '@tooldex/contract'
import type { AdminEndpoint, EffectiveSettings } from '@tooldex/contract/admin'
import { endpointDisclosure } from '../../config/to-model.ts'
import { GatewayError } from '../../errors.ts'
import { connectCommands, stdioProgram } from '../../exposure/connect-snippets.ts'
import { settingsWithOrigin } from '../../exposure/resolve-settings.ts'
import type { Endpoint } from '../../model/endpoint.ts'
import { DEFAULT_ENDPOINT } from '../../model/gateway-model.ts'
import type { DisclosureSettings } from '../../model/settings.ts'
import { type ConfiguredEntry, entryMetadata } from '../changes/configured-entries.ts'
import { EndpointChanges } from '../changes/endpoint-changes.ts'
import { ADMIN_ENDPOINT, type AdminContext, type Handlers, principalOf } from './admin-context.ts'
import { entryPage } from './list-pages.ts'

const TOKEN_PLACEHOLDER = '<token>'

/** Routes about endpoints. */
export function endpointHandlers(context: AdminContext) {
  const changes = new EndpointChanges(context.administration)
  const one = (id: string): AdminEndpoint => endpointAnswer(context.entries.endpoint(id), context)
  return {
    listEndpoints: ({ query }) => {
      const { items, ...page } = entryPage(context.entries.endpoints(), query)
      return { items: items.map((endpoint) => endpointAnswer(endpoint, context)), ...page }
    },
    getEndpoint: ({ params }) => one(params.endpoint),
    createEndpoint: async ({ body }) => {
      await changes.create(body)
      return one(body.id)
    },
    changeEndpoint: async ({ params, body, revision }) => {
      await changes.change(params.endpoint, body, revision)
      return one(params.endpoint)
    },
    removeEndpoint: ({ params, revision }) => changes.remove(params.endpoint, revision),
    endpointSnippets: async ({ params, query, caller }) => {
      context.entries.endpoint(params.endpoint)
      const endpoint = context.model.endpoints.get(params.endpoint)
      if (endpoint === undefined) throw new GatewayError('ENDPOINT_NOT_FOUND', { endpoint: params.endpoint })
      const base = query.url ?? context.live.url()
      const url = new URL(endpointPath(endpoint.id), base).href
      const requests = context.live.client.snippets(endpoint, principalOf(caller), url)
      const endpointId = endpoint.id === DEFAULT_ENDPOINT ? undefined : endpoint.id
      const commands = connectCommands({ url, token: TOKEN_PLACEHOLDER, endpointId })
      // The writers of clients' files are loaded when somebody needs them.
      const { clientSnippets } = await import('../../setup/machine/client-snippets.ts')
      const entries = clientSnippets({ url, token: TOKEN_PLACEHOLDER, program: stdioProgram(endpointId) })
      const isClient = ({ client }: { readonly client: string }) => entries.some((entry) => entry.client === client)
      const named = commands.filter(isClient)
      return {
        url,
        items: [
          ...named,
          ...entries.filter(({ client }) => named.every((each) => each.client !== client)),
          ...commands.filter((each) => !isClient(each)),
          { client: 'Anthropic Messages API', kind: 'request', text: JSON.stringify(requests.anthropic, undefined, 2) },
          { client: 'OpenAI Responses API', kind: 'request', text: JSON.stringify(requests.openai, undefined, 2) },
        ],
      }
    },
  } satisfies Partial<Handlers>
}

/** An endpoint as the API shows it. */
function endpointAnswer(entry: ConfiguredEntry<EndpointConfig>, context: AdminContext): AdminEndpoint {
  const { id, config } = entry
  const project = context.model.projects.get(config.project)
  return {
    id,
    ...entryMetadata(entry, context.entries),
    path: endpointPath(id),
    project: config.project,
    isServed: project !== undefined && context.model.endpoints.has(id),
    auth: config.auth,
    transparent: config.transparent,
    settings: effectiveSettings(endpointDisclosure(config), project?.disclosure ?? {}),
    config,
  }
}

/** The path that clients connect to. */
export function endpointPath(id: string): string {
  return id === DEFAULT_ENDPOINT ? '/mcp' : `/${id}/mcp`
}

/** Every setting with its effective value and origin. */
export function effectiveSettings(endpoint: DisclosureSettings, project: DisclosureSettings): EffectiveSettings {
  const { selectionOrder, ...settings } = settingsWithOrigin(endpoint, project)
  return { ...settings, selectionOrder: { ...selectionOrder, value: [...selectionOrder.value] } }
}

/** A temporary endpoint of a project, for the searches and calls of an admin. */
export function adminEndpoint(projectId: string): Endpoint {
  const disclosure = { exposure: 'meta-tools', dialect: 'router', directCalls: true } as const
  return { id: ADMIN_ENDPOINT, projectId, disclosure, auth: 'token', transparent: false }
}
