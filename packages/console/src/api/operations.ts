import type { AdminRouteId } from '@tooldex/contract/admin'

interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
}

/**
 * Method and path of each operation of the admin API. Importing them from the contract would also bundle every schema;
 * a test compares the two.
 */
export const OPERATIONS = {
  listServers: { method: 'GET', path: '/servers' },
  getServer: { method: 'GET', path: '/servers/{server}' },
  createServer: { method: 'POST', path: '/servers' },
  previewServers: { method: 'POST', path: '/servers/preview' },
  changeServer: { method: 'PATCH', path: '/servers/{server}' },
  orderServers: { method: 'PUT', path: '/servers/order' },
  removeServer: { method: 'DELETE', path: '/servers/{server}' },
  enableServer: { method: 'POST', path: '/servers/{server}/enable' },
  disableServer: { method: 'POST', path: '/servers/{server}/disable' },
  restartServer: { method: 'POST', path: '/servers/{server}/restart' },
  serverLogs: { method: 'GET', path: '/servers/{server}/logs' },
  serverTools: { method: 'GET', path: '/servers/{server}/tools' },
  loginServer: { method: 'POST', path: '/servers/{server}/login' },
  logoutServer: { method: 'POST', path: '/servers/{server}/logout' },
  listTools: { method: 'GET', path: '/tools' },
  getTool: { method: 'GET', path: '/tools/{tool}' },
  changeTool: { method: 'PATCH', path: '/tools/{tool}' },
  changeProjectTool: { method: 'PATCH', path: '/projects/{project}/tools/{tool}' },
  callTool: { method: 'POST', path: '/tools/{tool}/call' },
  listProjects: { method: 'GET', path: '/projects' },
  getProject: { method: 'GET', path: '/projects/{project}' },
  createProject: { method: 'POST', path: '/projects' },
  changeProject: { method: 'PATCH', path: '/projects/{project}' },
  removeProject: { method: 'DELETE', path: '/projects/{project}' },
  previewProject: { method: 'POST', path: '/projects/{project}/preview' },
  listEndpoints: { method: 'GET', path: '/endpoints' },
  getEndpoint: { method: 'GET', path: '/endpoints/{endpoint}' },
  createEndpoint: { method: 'POST', path: '/endpoints' },
  changeEndpoint: { method: 'PATCH', path: '/endpoints/{endpoint}' },
  removeEndpoint: { method: 'DELETE', path: '/endpoints/{endpoint}' },
  endpointSnippets: { method: 'GET', path: '/endpoints/{endpoint}/snippets' },
  listTokens: { method: 'GET', path: '/tokens' },
  getToken: { method: 'GET', path: '/tokens/{token}' },
  createToken: { method: 'POST', path: '/tokens' },
  changeToken: { method: 'PATCH', path: '/tokens/{token}' },
  revokeToken: { method: 'DELETE', path: '/tokens/{token}' },
  explainToken: { method: 'GET', path: '/tokens/{token}/explain' },
  listAudit: { method: 'GET', path: '/audit' },
  exportAudit: { method: 'GET', path: '/audit/export' },
  sumAudit: { method: 'GET', path: '/audit/sums' },
  followAudit: { method: 'GET', path: '/audit/stream' },
  searchTools: { method: 'POST', path: '/search' },
  getOverview: { method: 'GET', path: '/overview' },
  getSavings: { method: 'GET', path: '/savings' },
  getHealth: { method: 'GET', path: '/health' },
  getSettings: { method: 'GET', path: '/settings' },
  changeSettings: { method: 'PATCH', path: '/settings' },
  followEvents: { method: 'GET', path: '/events' },
  getOpenApi: { method: 'GET', path: '/openapi.json' },
  signIn: { method: 'POST', path: '/session' },
  getSession: { method: 'GET', path: '/session' },
  signOut: { method: 'DELETE', path: '/session' },
  createSignInCode: { method: 'POST', path: '/session/codes' },
  exportAll: { method: 'GET', path: '/export' },
  importAll: { method: 'POST', path: '/import' },
} as const satisfies Record<AdminRouteId, Operation>
