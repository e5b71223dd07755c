import type { AdminRouteId, RouteAnswer, RouteBody, RouteParams, RouteQuery } from '@tooldex/contract/admin'
import type { AdminCaller } from '../access/admin-caller.ts'

/** A request to one route, read and checked. */
export interface Ask<Id extends AdminRouteId> {
  readonly params: RouteParams<Id>
  readonly query: RouteQuery<Id>
  readonly body: RouteBody<Id>
  readonly caller: AdminCaller
  readonly request: Request
  /** What the change is based on. */
  readonly revision?: string
}

/** What a route answers: its value, or a response where that is no JSON. */
export type Answer<Id extends AdminRouteId> = [RouteAnswer<Id>] extends [never] ? Response : RouteAnswer<Id> | Response

/** One function for every route; without one the program does not compile. */
export type Handlers = {
  readonly [Id in AdminRouteId]: (ask: Ask<Id>) => Answer<Id> | Promise<Answer<Id>>
}
