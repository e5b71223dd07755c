import type { AdminEndpoint, AdminProject, AdminToken } from '@tooldex/contract/admin'
import { DEFAULT_ENDPOINT } from '../model/gateway-model.ts'
import { connectSnippets } from '../exposure/connect-lines.ts'
import { GatewayError } from '../errors.ts'
import { EndpointChanges } from './endpoint-changes.ts'
import type { Handlers } from './handlers.ts'
import { type AdminPicture, principalOf } from './picture.ts'
import { endpointAnswer, endpointPath, projectAnswer } from './project-answers.ts'
import { ProjectChanges } from './project-changes.ts'
import { previewProject } from './project-preview.ts'
import { explainToken, tokenAnswer } from './token-answers.ts'
import { TokenChanges } from './token-changes.ts'
import { exportAll, importAll } from './transfer.ts'

const TOKEN_PLACEHOLDER = '<token>'

/** Routes about projects, endpoints and tokens. */
export function configurationHandlers(picture: AdminPicture) {
  return {
    ...projectHandlers(picture),
    ...endpointHandlers(picture),
    ...tokenHandlers(picture),
    ...transferHandlers(picture),
  }
}

function projectHandlers(picture: AdminPicture) {
  const changes = new ProjectChanges(picture.administration)
  const one = (id: string): AdminProject => projectAnswer(picture.entries.project(id), picture)
  return {
    listProjects: () => ({ items: picture.entries.projects().map((project) => projectAnswer(project, picture)) }),
    getProject: ({ params }) => one(params.project),
    createProject: async ({ body }) => one(await changes.create(body)),
    changeProject: async ({ params, body, revision }) => {
      await changes.change(params.project, body, revision)
      return one(params.project)
    },
    removeProject: ({ params, revision }) => changes.remove(params.project, revision),
    previewProject: ({ params, body }) => previewProject(params.project, body, picture),
  } satisfies Partial<Handlers>
}

function endpointHandlers(picture: AdminPicture) {
  const changes = new EndpointChanges(picture.administration)
  const one = (id: string): AdminEndpoint => endpointAnswer(picture.entries.endpoint(id), picture)
  return {
    listEndpoints: () => ({ items: picture.entries.endpoints().map((endpoint) => endpointAnswer(endpoint, picture)) }),
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
    endpointSnippets: ({ params, query, caller }) => {
      picture.entries.endpoint(params.endpoint)
      const endpoint = picture.model.endpoints.get(params.endpoint)
      if (endpoint === undefined) throw new GatewayError('ENDPOINT_NOT_FOUND', { endpoint: params.endpoint })
      const base = query.url ?? picture.live.url()
      const url = new URL(endpointPath(endpoint.id), base).href
      const requests = picture.live.client.snippets(endpoint, principalOf(caller), url)
      return {
        url,
        items: [
          ...connectSnippets({
            url,
            token: TOKEN_PLACEHOLDER,
            ...(endpoint.id !== DEFAULT_ENDPOINT && { endpointId: endpoint.id }),
          }),
          { client: 'Anthropic Messages API', kind: 'request', text: JSON.stringify(requests.anthropic, undefined, 2) },
          { client: 'OpenAI Responses API', kind: 'request', text: JSON.stringify(requests.openai, undefined, 2) },
        ],
      }
    },
  } satisfies Partial<Handlers>
}

function tokenHandlers(picture: AdminPicture) {
  const changes = new TokenChanges(picture.administration, picture.parts.now)
  const one = (id: string): AdminToken => tokenAnswer(picture.entries.token(id), picture)
  return {
    listTokens: () => ({ items: picture.entries.tokens().map((token) => tokenAnswer(token, picture)) }),
    getToken: ({ params }) => one(params.token),
    createToken: async ({ body }) => {
      const { id, secret } = await changes.create(body)
      return { secret, token: one(id) }
    },
    changeToken: async ({ params, body, revision }) => {
      await changes.change(params.token, body, revision)
      return one(params.token)
    },
    revokeToken: ({ params, revision }) => changes.revoke(params.token, revision),
    explainToken: ({ params, query }) => explainToken(picture.entries.token(params.token), query, picture),
  } satisfies Partial<Handlers>
}

function transferHandlers(picture: AdminPicture) {
  return {
    exportAll: ({ query }) => exportAll(query, picture),
    importAll: ({ query, body }) => importAll(body, query, picture),
  } satisfies Partial<Handlers>
}
