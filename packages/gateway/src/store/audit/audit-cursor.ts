import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AuditFilter } from '../../model/audit.ts'
import { GatewayError } from '../../errors.ts'
import type { AuditPosition } from './audit-stretch.ts'

const FIELDS = [
  'kind',
  'tokenId',
  'projectId',
  'endpointId',
  'serverId',
  'toolKey',
  'requestId',
  'outcome',
  'from',
  'until',
] as const satisfies readonly (keyof AuditFilter)[]

/** Says where to go on, signed together with the filter: it is good for no other. */
export function writeCursor({ at, id }: AuditPosition, filter: AuditFilter, key: string): string {
  const place = Buffer.from(`${at} ${id}`).toString('base64url')
  return `${place}.${signature(place, filter, key).toString('base64url')}`
}

/** @throws GatewayError REQUEST_INVALID for what `writeCursor` did not make of this filter */
export function readCursor(cursor: string, filter: AuditFilter, key: string): AuditPosition {
  const [place = '', signed = ''] = cursor.split('.', 2)
  const [given, expected] = [Buffer.from(signed, 'base64url'), signature(place, filter, key)]
  const isOurs = given.length === expected.length && timingSafeEqual(given, expected)
  if (!isOurs || `${place}.${expected.toString('base64url')}` !== cursor) {
    const reason = 'the cursor is not one of this filter'
    throw new GatewayError('REQUEST_INVALID', { reason, remedy: 'Ask for the first page, without a cursor.' })
  }
  const [at = 0, id = 0] = Buffer.from(place, 'base64url').toString().split(' ').map(Number)
  return { at, id }
}

function signature(place: string, filter: AuditFilter, key: string): Buffer {
  const asked = JSON.stringify([place, ...FIELDS.map((field) => filter[field] ?? null)])
  return createHmac('sha256', key).update(asked).digest().subarray(0, 16)
}
