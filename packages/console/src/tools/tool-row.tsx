import type { AdminTool } from '@tooldex/contract/admin'
import { memo } from 'react'
import { Badge } from '../parts/badge.tsx'
import { BareSwitch } from '../parts/switch.tsx'
import { plainText } from '../parts/unseen-characters.ts'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { hintsOf } from './tool-hints.ts'

/** Every row is as high, so that the place of each is known without looking. */
export const ROW_HEIGHT = 62

interface ToolRowProps {
  readonly tool: AdminTool
  /** Its place in the list, from 0. */
  readonly place: number
  readonly total: number
  readonly href: string
  readonly isFixed: boolean
  readonly onAllow: (tool: string, allowed: boolean) => void
}

/**
 * One tool of thousands: plain elements only, because many of them come and go in every second of scrolling. No CSS
 * containment: measured, it makes every frame of scrolling dearer, not cheaper.
 */
export const ToolRow = memo(function ToolRow({ tool, place, total, href, isFixed, onAllow }: ToolRowProps) {
  const { tools: words, servers, common } = useText()
  const isPinned = tool.projects.some(({ override }) => override?.pinned === true)
  const isDeferred = tool.projects.some(({ deferred }) => deferred)
  return (
    <li
      className="absolute inset-x-0 flex items-center gap-4 border-b border-line/70 px-5 text-sm"
      style={{ top: place * ROW_HEIGHT, height: ROW_HEIGHT }}
      aria-setsize={total}
      aria-posinset={place + 1}
    >
      <div className="min-w-0 flex-1">
        <div className="flex items-center gap-2">
          <a href={href} data-tool={tool.key} className="truncate font-mono text-[13px] font-medium hover:underline">
            <UntrustedText most={200}>{tool.name}</UntrustedText>
          </a>
          <span className="hidden gap-1.5 sm:flex">
            <Badge>
              <UntrustedText most={60}>{tool.serverName}</UntrustedText>
            </Badge>
          </span>
          <span className="hidden gap-1.5 md:flex">
            {isPinned && <Badge tone="accent">{words.pinned}</Badge>}
            {isDeferred && <Badge>{words.deferred}</Badge>}
            {hintsOf(tool.annotations).map(({ name, tone }) => (
              <Badge key={name} tone={tone}>
                {words.hints[name]}
              </Badge>
            ))}
          </span>
        </div>
        <p className="truncate text-[13px] text-soft">
          {/* The name has the line to itself where there is little room. */}
          <span className="sm:hidden">
            <UntrustedText most={60}>{tool.serverName}</UntrustedText> ·{' '}
          </span>
          <UntrustedText most={240}>{tool.description ?? ''}</UntrustedText>
        </p>
      </div>
      <span className="hidden text-[13px] text-faint tabular-nums sm:inline" title={common.tokensHint}>
        {common.tokensUnit(tool.tokens)}
      </span>
      <BareSwitch
        aria-label={servers.allow(plainText(tool.name))}
        checked={tool.allowed}
        disabled={isFixed}
        title={isFixed ? words.fixed : undefined}
        onChange={(allowed) => onAllow(tool.key, allowed)}
      />
    </li>
  )
})
