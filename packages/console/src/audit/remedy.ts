import type { LinkProps } from '@tanstack/react-router'
import type { AdminAuditEntry } from '@tooldex/contract/admin'
import type { Text } from '../text/text.ts'

/** The page that helps with a failed entry, and what to do there. */
export interface Remedy extends Pick<LinkProps, 'to' | 'params' | 'search'> {
  readonly what: keyof Text['audit']['remedies']
}

type Call = Extract<AdminAuditEntry, { kind: 'call' }>

const ABOUT_SERVER = /^(SERVER_|REPLY_)/
const ABOUT_ACCESS = new Set([
  'TOOL_NOT_FOUND',
  'TOOL_DISABLED',
  'TOOL_NOT_READ_ONLY',
  'SCOPE_INSUFFICIENT',
  'TOOL_AMBIGUOUS',
])
const ABOUT_APPROVAL = new Set(['TOOL_HELD', 'SERVER_HELD'])

/** Where to go from an entry that failed, or from a search that found nothing or led to no call; undefined if all is well. */
export function remedyOf(entry: AdminAuditEntry, ledToNoCall = false): Remedy | undefined {
  if (entry.kind === 'refusal') return { what: 'tokens', to: '/tokens' }
  if (entry.kind === 'search') {
    if (entry.outcome === 'ok' && entry.resultKeys.length > 0 && !ledToNoCall) return undefined
    return entry.queries === undefined ? ofClient(entry) : searchAgain(entry, entry.queries.join('\n'))
  }
  if (entry.outcome === 'ok') return undefined
  return entry.kind === 'call' ? ofCall(entry) : { what: 'settings', to: '/settings' }
}

function ofCall(entry: Call): Remedy {
  const { outcome, serverId, toolKey, tokenId } = entry
  if (ABOUT_APPROVAL.has(outcome)) return { what: 'approve', to: '/review' }
  const hasToken = tokenId !== '' && entry.tokenName !== undefined
  if (ABOUT_ACCESS.has(outcome)) {
    if (!toolKey.includes(':')) return searchAgain(entry, toolKey)
    if (hasToken && entry.transport !== 'console') {
      return { what: 'explain', to: '/tokens/$token', params: { token: tokenId }, search: { tool: toolKey } }
    }
  }
  if (toolKey === '') return ofClient(entry)
  if (serverId === '') return searchAgain(entry, toolKey)
  if (outcome === 'SERVER_TIMEOUT' || outcome === 'SERVER_BUSY') {
    return { what: 'limits', to: '/servers/$server', params: { server: serverId }, search: { tab: 'settings' } }
  }
  if (ABOUT_SERVER.test(outcome)) {
    return { what: 'log', to: '/servers/$server', params: { server: serverId }, search: { tab: 'logs' } }
  }
  return { what: 'tryIt', to: '/tools/$tool', params: { tool: toolKey } }
}

/** The client sent something wrong; what it did before and after tells more. */
function ofClient(entry: AdminAuditEntry): Remedy {
  return { what: 'session', to: '/audit', search: sessionSearch(entry) }
}

/** The part of an address that shows the sessions around an entry. */
export function sessionSearch({ tokenId, projectId, at }: AdminAuditEntry): Record<string, string> {
  return {
    view: 'sessions',
    ...(tokenId !== '' && { token: tokenId }),
    ...(projectId !== '' && { project: projectId }),
    around: String(at),
  }
}

function searchAgain({ projectId, tokenId, tokenName, transport }: AdminAuditEntry, query: string): Remedy {
  const isAgent = tokenName !== undefined && transport !== 'console' && transport !== 'admin-api'
  return {
    what: 'search',
    to: '/search',
    search: { q: query, ...(projectId !== '' && { project: projectId }), ...(isAgent && { token: tokenId }) },
  }
}
