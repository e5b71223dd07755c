import { useQueryClient } from '@tanstack/react-query'
import type { AdminServer } from '@tooldex/contract/admin'
import { ScrollText } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { addressOf } from '../api/call.ts'
import { followStream } from '../api/event-stream.ts'
import { askWhoWeAre } from '../api/queries.ts'
import { EmptyState } from '../parts/states.tsx'
import { Switch } from '../parts/switch.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useLanguage, useText } from '../text/text.ts'

interface LogLine {
  readonly at: number
  readonly line: string
}

const MOST_LINES = 1_000

/** What a server writes to its standard error, as it writes it. */
export function ServerLogs({ server }: { readonly server: AdminServer }) {
  const { servers: words } = useText()
  const language = useLanguage()
  const lines = useLogLines(server.id)
  const [isFollowing, setIsFollowing] = useState(true)
  const end = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isFollowing && lines.length > 0) end.current?.scrollIntoView({ block: 'nearest' })
  }, [lines, isFollowing])
  if (lines.length === 0) return <EmptyState icon={<ScrollText size={24} aria-hidden />} title={words.noLogs} />
  return (
    <div className="flex flex-col gap-3 p-5">
      <Switch label={words.follow} checked={isFollowing} onChange={setIsFollowing} />
      <div
        role="log"
        aria-label={words.logsOf(server.name)}
        // Focusable, so that a keyboard can scroll it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="max-h-[32rem] overflow-auto rounded-xl border border-line bg-sunken p-3 font-mono text-[12.5px] leading-relaxed"
      >
        {lines.map(({ at, line }, place) => (
          <div key={place} className="flex gap-3">
            <time dateTime={new Date(at).toISOString()} className="shrink-0 text-faint">
              {new Date(at).toLocaleTimeString(language)}
            </time>
            <span className="min-w-0 whitespace-pre-wrap">
              <UntrustedText most={4_000}>{line}</UntrustedText>
            </span>
          </div>
        ))}
        <div ref={end} />
      </div>
    </div>
  )
}

/** The stream tells the lines that there are, then those to come; a new connection begins anew. */
function useLogLines(server: string): readonly LogLine[] {
  const client = useQueryClient()
  const [lines, setLines] = useState<readonly LogLine[]>([])
  useEffect(
    () =>
      followStream(addressOf('serverLogs', { params: { server } }), {
        events: { line: (line) => setLines((before) => [...before.slice(-MOST_LINES + 1), line as LogLine]) },
        onOpen: () => setLines([]),
        onLost: () => askWhoWeAre(client),
      }),
    [client, server],
  )
  return lines
}
