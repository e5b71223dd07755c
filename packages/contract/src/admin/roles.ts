import type { AdminRouteId } from './routes.ts'

/** The roles of admin tokens; each may do what those before it may. */
export const ADMIN_ROLES = ['reader', 'operator', 'administrator'] as const

/** What the owner of an admin token may do. */
export type AdminRole = (typeof ADMIN_ROLES)[number]

/**
 * The operations that need less than an administrator. An operation that is not here needs one, so that a new operation is closed
 * until somebody decides. A reader gets no secret and changes nothing but its own session.
 */
const LEAST_ROLE: { readonly [Id in AdminRouteId]?: Exclude<AdminRole, 'administrator'> } = {
  listServers: 'reader',
  getServer: 'reader',
  previewServers: 'reader',
  serverLogs: 'reader',
  serverTools: 'reader',
  enableServer: 'operator',
  disableServer: 'operator',
  restartServer: 'operator',
  searchRegistry: 'reader',
  getMachine: 'reader',
  listTools: 'reader',
  getTool: 'reader',
  // A call changes the world, and reading a resource runs a program with the gateway's rights.
  callTool: 'operator',
  answerCall: 'operator',
  askProject: 'operator',
  listReview: 'reader',
  approveReviewed: 'operator',
  blockReviewed: 'operator',
  exportApprovals: 'reader',
  listFindings: 'reader',
  listProjects: 'reader',
  getProject: 'reader',
  previewProject: 'reader',
  listEndpoints: 'reader',
  getEndpoint: 'reader',
  endpointSnippets: 'reader',
  listTokens: 'reader',
  getToken: 'reader',
  explainToken: 'reader',
  listAudit: 'reader',
  exportAudit: 'reader',
  sumAudit: 'reader',
  listSearches: 'reader',
  followAudit: 'reader',
  getUsage: 'reader',
  searchTools: 'reader',
  listLearned: 'reader',
  getOverview: 'reader',
  getHealth: 'reader',
  getSettings: 'reader',
  followEvents: 'reader',
  getOpenApi: 'reader',
  getSavings: 'reader',
  getSession: 'reader',
  signOut: 'reader',
}

/** The least role that an operation needs. */
export function roleNeeded(id: AdminRouteId): AdminRole {
  return LEAST_ROLE[id] ?? 'administrator'
}

/** Whether a role may use an operation. */
export function mayUse(role: AdminRole, id: AdminRouteId): boolean {
  return ADMIN_ROLES.indexOf(role) >= ADMIN_ROLES.indexOf(roleNeeded(id))
}
