export { ADMIN_BASE, JUDGED_BY, PAGE_HEADER, SECRET_MASK } from './names.ts'
export type { AdminAuditEntry, AuditQuery } from './audit.ts'
export type { EffectiveSettings } from './parts.ts'
export type { AdminEndpoint, EndpointPatch, Snippet } from './endpoints.ts'
export type { ScanReport } from './findings.ts'
export type { AdminSettings, ChangeEvent, Health, Overview, SettingsPatch } from './gateway.ts'
export { adminOpenApi, isMediaTypes } from './openapi.ts'
export { type Problem, problemSchema } from './parts.ts'
export type { AdminProject, ProjectPatch, ProjectPreview, ProjectPreviewAsk } from './projects.ts'
export type { AdminRoute } from './parts.ts'
export { type ApprovalsExport, approvalsSchema, type ReviewItem } from './review.ts'
export { ADMIN_ROLES, type AdminRole, mayUse, roleNeeded } from './roles.ts'
export type { AskedRegistry, RegistryInput, RegistryServer, RegistryWay } from './registry.ts'
export {
  type AdminRouteId,
  adminRoutes,
  type RouteAnswer,
  type RouteBody,
  type RouteBodyInput,
  type RouteParams,
  type RouteQuery,
  type RouteQueryInput,
} from './routes.ts'
export type { ClientSaving, EndpointSaving, LoadedTokens, ProjectSaving } from './gateway.ts'
export type { AdminLearnedUse } from './learned.ts'
export type { FoundServer, InstalledClient, PlannedConnection } from './machine.ts'
export type { SearchAnswerShown, SearchQuestion } from './search.ts'
export { readWith } from '../config-problem.ts'
export type { AdminServer, NewServer, ServerPatch, ServerPreview, ServerTest } from './servers.ts'
export type { AdminSession } from './session.ts'
export type { AdminToken, NewToken, TokenExplanation, TokenPatch } from './tokens.ts'
export type { AdminTool, AdminToolDetail, ProjectToolPatch } from './tools.ts'
export { type AdminExport, exportSchema, type ImportPlan } from './transfer.ts'
export type { AdminServerUsage, AdminToolUsage } from './usage.ts'
