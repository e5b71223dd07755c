import { createHash } from 'node:crypto'
import type { ClientCost } from '../../model/context-cost.ts'
import { fromStorable, toStorable } from '../storable-text.ts'
import type { CostRow } from '../tables.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

/** The columns that add up, by what they are called elsewhere. */
export const SUM_COLUMNS = {
  lists: 'lists',
  searches: 'searches',
  ifAllWereListed: 'if_all_were_listed',
  ofLists: 'of_lists',
  ofSearches: 'of_searches',
  ofSchemas: 'of_schemas',
} as const satisfies Record<keyof ClientCost['cost'], keyof CostRow>

/** The day of a moment, in UTC, by its first millisecond. */
export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS
}

/** What a client loaded, as a row of the day. */
export function toCostRow({ client, cost }: ClientCost, at: number): CostRow {
  const { endpointId, projectId, tokenId, clientName } = client
  // Names and ids may be longer than an index takes.
  const who = JSON.stringify([endpointId, projectId, tokenId, clientName ?? null])
  return {
    day: dayOf(at),
    client_key: createHash('sha256').update(who, 'utf16le').digest('base64url'),
    endpoint_id: toStorable(endpointId),
    project_id: toStorable(projectId),
    token_id: toStorable(tokenId),
    client_name: clientName === undefined ? null : toStorable(clientName),
    since: at,
    lists: cost.lists,
    searches: cost.searches,
    if_all_were_listed: cost.ifAllWereListed,
    of_lists: cost.ofLists,
    of_searches: cost.ofSearches,
    of_schemas: cost.ofSchemas,
  }
}

/** What a client loaded, of the sums over its rows. */
export function fromCostRow(row: Omit<CostRow, 'day' | 'client_key'>): ClientCost {
  return {
    client: {
      endpointId: fromStorable(row.endpoint_id),
      projectId: fromStorable(row.project_id),
      tokenId: fromStorable(row.token_id),
      ...(row.client_name !== null && { clientName: fromStorable(row.client_name) }),
    },
    cost: {
      lists: row.lists,
      searches: row.searches,
      ifAllWereListed: row.if_all_were_listed,
      ofLists: row.of_lists,
      ofSearches: row.of_searches,
      ofSchemas: row.of_schemas,
    },
  }
}
