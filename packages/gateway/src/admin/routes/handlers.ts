import type { AdminRouteId, RouteAnswer, RouteBody, RouteParams, RouteQuery } from '@tooldex/contract/admin'
import type { AdminCaller } from '../access/admin-caller.ts'

/** A checked request to one route. */
export interface Ask<Id extends AdminRouteId> {
  readonly params: RouteParams<Id>
  readonly query: RouteQuery<Id>
  readonly body: RouteBody<Id>
  readonly caller: AdminCaller
  readonly request: Request
  /** The revision that the change is based on. */
  readonly revision?: string
}

/** The answer of a route: its JSON value, or a whole response. */
export type Answer<Id extends AdminRouteId> = [RouteAnswer<Id>] extends [never] ? Response : RouteAnswer<Id> | Response

/** One handler for every route of the contract. */
export type Handlers = {
  readonly [Id in AdminRouteId]: (ask: Ask<Id>) => Answer<Id> | Promise<Answer<Id>>
}
