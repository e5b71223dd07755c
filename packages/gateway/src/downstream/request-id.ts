import { randomUUID } from 'node:crypto'

/**
 * A UUID that begins with the time (version 7), so that what is kept under such ids lies together: with others, every entry
 * of the audit log would touch another place of its index.
 * @param now epoch milliseconds
 */
export function newRequestId(now = Date.now()): string {
  const time = now.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
