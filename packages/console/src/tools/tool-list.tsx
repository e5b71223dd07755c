import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import type { AdminTool } from '@tooldex/contract/admin'
import { memo, useEffect, useRef } from 'react'
import { Badge } from '../parts/badge.tsx'
import { Switch } from '../parts/switch.tsx'
import { plainText } from '../parts/unseen-characters.ts'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { hintsOf } from './tool-hints.ts'
import { useAllowTool } from './use-allow-tool.ts'

const ROW_HEIGHT = 62

interface ToolListProps {
  readonly items: readonly AdminTool[]
  readonly total: number
  /** Servers that a file declares: what it says of their tools is changed there. */
  readonly fixedServers: ReadonlySet<string>
  /** The end is near: more may be loaded. */
  readonly onEnd: () => void
}

/** Only the rows in sight exist, so that ten thousand scroll like ten. */
export function ToolList({ items, total, fixedServers, onEnd }: ToolListProps) {
  const { tools: words } = useText()
  const allow = useAllowTool()
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  })
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= items.length - 30) onEnd()
  }, [last, items.length, onEnd])
  return (
    <>
      <p className="border-b border-line px-5 py-2.5 text-[13px] text-soft" role="status">
        {words.count(items.length, total)}
      </p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that a keyboard can scroll it */}
      <div
        ref={scroller}
        className="h-[calc(100dvh-19rem)] min-h-80 overflow-y-auto"
        tabIndex={0}
        role="region"
        aria-label={words.tool}
      >
        <ul className="relative" style={{ height: rows.getTotalSize() }}>
          {shown.map((row) => {
            const tool = items[row.index]
            return (
              tool !== undefined && (
                <li
                  key={tool.key}
                  className="absolute inset-x-0 top-0"
                  style={{ height: ROW_HEIGHT, transform: `translateY(${row.start}px)` }}
                  aria-setsize={total}
                  aria-posinset={row.index + 1}
                >
                  <ToolRow tool={tool} isFixed={fixedServers.has(tool.server)} onAllow={allow} />
                </li>
              )
            )
          })}
        </ul>
      </div>
    </>
  )
}

interface ToolRowProps {
  readonly tool: AdminTool
  readonly isFixed: boolean
  readonly onAllow: (tool: string, allowed: boolean) => void
}

const ToolRow = memo(function ToolRow({ tool, isFixed, onAllow }: ToolRowProps) {
  const { tools: words, servers, common } = useText()
  const isPinned = tool.projects.some(({ override }) => override?.pinned === true)
  return (
    <div className="flex h-full items-center gap-4 border-b border-line/70 px-5 text-sm">
      <div className="min-w-0 flex-1">
        <div className="flex items-center gap-2">
          <Link
            to="/tools/$tool"
            params={{ tool: tool.key }}
            className="truncate font-mono text-[13px] font-medium hover:underline"
          >
            <UntrustedText most={200}>{tool.name}</UntrustedText>
          </Link>
          <Badge>
            <UntrustedText most={60}>{tool.serverName}</UntrustedText>
          </Badge>
          <span className="hidden gap-1.5 md:flex">
            {isPinned && <Badge tone="accent">{words.pinned}</Badge>}
            {hintsOf(tool.annotations).map(({ name, tone }) => (
              <Badge key={name} tone={tone}>
                {words.hints[name]}
              </Badge>
            ))}
          </span>
        </div>
        <p className="truncate text-[13px] text-soft">
          <UntrustedText most={240}>{tool.description ?? ''}</UntrustedText>
        </p>
      </div>
      <span className="hidden text-[13px] text-faint tabular-nums sm:inline" title={common.tokensHint}>
        {common.tokensUnit(tool.tokens)}
      </span>
      <Switch
        hideLabel
        label={servers.allow(plainText(tool.name))}
        checked={tool.allowed}
        disabled={isFixed}
        onChange={(allowed) => onAllow(tool.key, allowed)}
      />
    </div>
  )
})
