import type { z } from 'zod'
import { auditRoutes } from './audit.ts'
import { endpointRoutes } from './endpoints.ts'
import { findingRoutes } from './findings.ts'
import { gatewayRoutes, savingsRoutes } from './gateway.ts'
import { learnedRoutes } from './learned.ts'
import { machineRoutes } from './machine.ts'
import type { AdminRoute } from './parts.ts'
import { projectRoutes } from './projects.ts'
import { registryRoutes } from './registry.ts'
import { reviewRoutes } from './review.ts'
import { searchRoutes } from './search.ts'
import { serverRoutes } from './servers.ts'
import { sessionRoutes } from './session.ts'
import { tokenRoutes } from './tokens.ts'
import { toolRoutes } from './tools.ts'
import { transferRoutes } from './transfer.ts'
import { usageRoutes } from './usage.ts'

/** All routes of the admin API. */
export const adminRoutes = {
  ...serverRoutes,
  ...registryRoutes,
  ...machineRoutes,
  ...toolRoutes,
  ...reviewRoutes,
  ...findingRoutes,
  ...projectRoutes,
  ...endpointRoutes,
  ...tokenRoutes,
  ...auditRoutes,
  ...usageRoutes,
  ...searchRoutes,
  ...learnedRoutes,
  ...gatewayRoutes,
  ...savingsRoutes,
  ...sessionRoutes,
  ...transferRoutes,
} as const satisfies Record<string, AdminRoute>

type Routes = typeof adminRoutes

/** The name of a route. */
export type AdminRouteId = keyof Routes

type Part<Id extends AdminRouteId, Name extends string> =
  Routes[Id] extends Record<Name, infer Schema> ? (Schema extends z.ZodType ? Schema : never) : never

/** The parameters of a route's path. */
export type RouteParams<Id extends AdminRouteId> = z.output<Part<Id, 'params'>>
/** The query as a client writes it. */
export type RouteQueryInput<Id extends AdminRouteId> = z.input<Part<Id, 'query'>>
/** The query as the server reads it. */
export type RouteQuery<Id extends AdminRouteId> = z.output<Part<Id, 'query'>>
/** The body as a client sends it. */
export type RouteBodyInput<Id extends AdminRouteId> = z.input<Part<Id, 'body'>>
/** The body as the server reads it. */
export type RouteBody<Id extends AdminRouteId> = z.output<Part<Id, 'body'>>

type Answers<Responses> = Responses[keyof Responses]

/** The answer of a route; undefined without a body, never if it is not JSON. */
export type RouteAnswer<Id extends AdminRouteId> =
  Answers<Routes[Id]['responses']> extends infer Answer
    ? Answer extends z.ZodType
      ? z.output<Answer>
      : Answer extends null
        ? undefined
        : never
    : never
