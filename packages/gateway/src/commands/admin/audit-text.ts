import type { AdminAuditEntry } from '@tooldex/contract/admin'
import { GatewayError } from '../../errors.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The time of an entry, in UTC. */
export const timeText = (at: number): string => new Date(at).toISOString().replace('T', ' ').slice(0, 19)

/** What an entry is about, in one line. */
export function whatText(entry: AdminAuditEntry): string {
  switch (entry.kind) {
    case 'call':
      return `call ${entry.toolKey === '' ? '(no tool named)' : entry.toolKey}`
    case 'search': {
      const { queries, resultKeys } = entry
      const asked = queries === undefined ? '' : ` ${queries.map((query) => JSON.stringify(query)).join(', ')}`
      const found = resultKeys.length === 0 ? '' : `: ${resultKeys.slice(0, 3).join(', ')}`
      return `search${asked}, ${resultKeys.length} found${found}`
    }
    case 'change': {
      const made = entry.changes.map(
        ({ of, id, name, how, fields }) =>
          `${how} ${of} ${name ?? id}${fields.length === 0 ? '' : ` (${fields.join(', ')})`}`,
      )
      return `${entry.action} ${made.length === 0 ? entry.target : made.join('; ')}`.trim()
    }
    case 'refusal':
      return `refused ${entry.count === 1 ? 'a request' : `${entry.count} requests`} of ${entry.address}`
  }
}

/** `90s`, `15m`, `1h` and `7d` ago, or a date. @throws GatewayError INVALID_ARGUMENTS */
export function momentOf(text: string, now: number, option: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text.trim()) ?? []
  const at = unit === undefined ? Date.parse(text) : now - Number(amount) * (UNITS[unit] ?? 0)
  if (!Number.isNaN(at)) return Math.max(0, at)
  throw new GatewayError('INVALID_ARGUMENTS', { reason: `${option} takes 15m, 1h, 7d or a date such as 2027-01-31` })
}
