import { Link } from '@tanstack/react-router'
import { useApi } from '../api/queries.ts'
import { RelativeTime } from '../parts/time.tsx'
import { useText } from '../text/text.ts'
import { took } from './audit-parts.tsx'

/** How a tool or a server was used in 30 days, linked to the entries. */
export function UsageFigures(of: { readonly tool: string } | { readonly server: string }) {
  const { audit: words, tokens } = useText()
  const usage = useApi('getUsage', { query: of }).data
  if (usage === undefined) return null
  const used = 'tool' in of ? usage.tools[0] : usage.servers[0]
  if (used === undefined) return <p className="text-[13px] text-faint">{words.unused}</p>
  const look = 'text-accent-strong underline decoration-accent/40 underline-offset-2 hover:decoration-accent'
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-[13px] text-soft tabular-nums">
      <Link to="/audit" search={{ kind: 'call', ...of }} className={look}>
        {words.callsIn30Days(used.calls)}
      </Link>
      {used.errors > 0 && (
        <Link to="/audit" search={{ kind: 'call', outcome: 'error', ...of }} className={look}>
          {words.sessionErrors(used.errors)}
        </Link>
      )}
      {used.p50Ms !== undefined && <span>p50 {took(used.p50Ms)}</span>}
      {used.p95Ms !== undefined && <span>p95 {took(used.p95Ms)}</span>}
      <span>
        {tokens.lastUsed} <RelativeTime at={used.lastAt} />
      </span>
    </p>
  )
}
