import { Link } from '@tanstack/react-router'
import type { AdminAuditEntry } from '@tooldex/contract/admin'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { remedyOf } from './remedy.ts'

/** The client program, as it names itself, else the transport. */
export function Client({ entry: { clientName, clientVersion, transport } }: { readonly entry: AdminAuditEntry }) {
  const { audit: words } = useText()
  const way = transport === undefined ? '–' : words.transports[transport]
  if (clientName === undefined) return way
  return (
    <span title={way}>
      <UntrustedText most={80}>{`${clientName} ${clientVersion ?? ''}`.trim()}</UntrustedText>
    </span>
  )
}

/** A link to the page that helps; nothing if all is well. */
export function RemedyLink({
  entry,
  ledToNoCall = false,
}: {
  readonly entry: AdminAuditEntry
  readonly ledToNoCall?: boolean
}) {
  const { audit: words } = useText()
  const remedy = remedyOf(entry, ledToNoCall)
  if (remedy === undefined) return null
  const { what, ...page } = remedy
  return (
    <Link
      {...page}
      className="text-[13px] whitespace-nowrap text-accent-strong underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
    >
      {words.remedies[what]}
    </Link>
  )
}

/** A duration. */
export function took(ms: number): string {
  if (ms < 0.1) return '< 0.1 ms'
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString()} ms`
}

/** The colour of an outcome. */
export function toneOf({ outcome }: Pick<AdminAuditEntry, 'outcome'>): 'good' | 'warn' | 'bad' {
  if (outcome === 'ok') return 'good'
  return outcome === 'tool-error' ? 'warn' : 'bad'
}
