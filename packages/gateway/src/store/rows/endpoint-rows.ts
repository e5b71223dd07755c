import type { EndpointConfig } from '@tooldex/contract'
import type { StoredEndpoint } from '../../model/stored-state.ts'
import { fromStorable, toStorable } from '../storable-text.ts'
import type { EndpointRow } from '../tables.ts'
import { restOf } from './rest-of.ts'

/** An endpoint as it is kept. */
export function toEndpointRow({ id, createdAt, updatedAt, config }: StoredEndpoint): Omit<EndpointRow, 'position'> {
  return {
    id: toStorable(id),
    created_at: createdAt,
    updated_at: updatedAt,
    project_id: toStorable(config.project),
    config: restOf(config, 'project'),
  }
}

/** The endpoint that a row has. */
export function fromEndpointRow(row: EndpointRow): StoredEndpoint {
  const rest = JSON.parse(row.config) as Omit<EndpointConfig, 'project'>
  return {
    id: fromStorable(row.id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    config: { ...rest, project: fromStorable(row.project_id) },
  }
}
