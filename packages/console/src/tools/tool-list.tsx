import { useRouter } from '@tanstack/react-router'
import type { AdminTool } from '@tooldex/contract/admin'
import { type Range, useVirtualizer } from '@tanstack/react-virtual'
import { memo, type MouseEvent, useCallback, useEffect, useRef } from 'react'
import { Badge } from '../parts/badge.tsx'
import { BareSwitch } from '../parts/switch.tsx'
import { plainText } from '../parts/invisible-characters.ts'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { hintsOf } from './tool-hints.ts'
import { allowPatch, permissionIn } from './tool-permission.ts'
import { useAllowTool } from './use-allow-tool.ts'
import { useIsAllowList, useProjectTools } from './use-project-tools.ts'

/** The next page loads when fewer rows than this are left. */
const NEAR_END = 40

interface ToolListProps {
  readonly items: readonly AdminTool[]
  /** Of all pages, not only those that are loaded. */
  readonly total: number
  readonly isFiltered: boolean
  /** The project whose permissions are shown and changed; else those for all projects. */
  readonly project: string | undefined
  /** What a switch of the list says when it is on. */
  readonly permission: string
  /** Servers that a file declares; their tools cannot be changed for all projects here. */
  readonly fixedServers: ReadonlySet<string>
  /** Called near the end of the list, to load more. */
  readonly onEnd: () => void
}

/** A virtual list: only the visible rows are rendered. */
export function ToolList({ items, total, isFiltered, project, permission, fixedServers, onEnd }: ToolListProps) {
  const { tools: words } = useText()
  const allow = useAllowTool()
  const changeIn = useProjectTools(project ?? '')
  const isAllowList = useIsAllowList()(project ?? '')
  const onAllow = useCallback(
    (tool: AdminTool, allowed: boolean) =>
      project === undefined ? allow(tool.key, allowed) : changeIn([tool], allowPatch(allowed, isAllowList)),
    [project, allow, changeIn, isAllowList],
  )
  const { basepath } = useRouter()
  const onLink = useToolLinks()
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: SPARE,
    rangeExtractor: inSteps,
    useFlushSync: false,
  })
  const shown = virtual.getVirtualItems()
  const [from, to] = [shown[0]?.index ?? 0, (shown.at(-1)?.index ?? -1) + 1]
  useEffect(() => {
    if (to >= items.length - NEAR_END) onEnd()
  }, [to, items.length, onEnd])
  return (
    <>
      <div className="flex items-center justify-between gap-4 border-b border-line px-5 py-2.5 text-[13px] text-soft">
        <p role="status">{isFiltered ? words.matches(total) : words.count(total)}</p>
        <p className="truncate">
          <UntrustedText most={60}>{permission}</UntrustedText>
        </p>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that a keyboard can scroll it */}
      <div
        ref={scroller}
        className="h-[calc(100dvh-19rem)] min-h-80 overflow-y-auto"
        tabIndex={0}
        role="region"
        aria-label={words.tool}
      >
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- for the links in it, which have keys of their own */}
        <ul className="relative" style={{ height: items.length * ROW_HEIGHT }} onClick={onLink}>
          {items.slice(from, to).map((tool, place) => (
            <ToolRow
              key={tool.key}
              tool={tool}
              place={from + place}
              total={total}
              href={`${basepath}/tools/${encodeURIComponent(tool.key)}`}
              project={project}
              isFixedServer={fixedServers.has(tool.server)}
              onAllow={onAllow}
            />
          ))}
        </ul>
      </div>
    </>
  )
}

/** One click listener for all rows: a link component per row would dominate the cost of scrolling. */
function useToolLinks(): (event: MouseEvent) => void {
  const router = useRouter()
  return (event) => {
    const link = (event.target as Element).closest<HTMLElement>('a[data-tool]')
    const tool = link?.dataset['tool']
    // Other buttons and modifier keys open tabs and windows; the browser handles them.
    if (tool === undefined || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return
    event.preventDefault()
    void router.navigate({ to: '/tools/$tool', params: { tool } })
  }
}

/** All rows have the same height, so that positions need no measuring. */
const ROW_HEIGHT = 62
/** Rows that are rendered above and below the visible ones. */
const SPARE = 10
/** The rendered rows change by this many at once, so that most scrolling renders nothing. */
const STEP = 6

function inSteps({ startIndex, endIndex, overscan, count }: Range): number[] {
  const from = Math.max(0, Math.floor((startIndex - overscan) / STEP) * STEP)
  const to = Math.min(count, Math.ceil((endIndex + 1 + overscan) / STEP) * STEP)
  return Array.from({ length: Math.max(0, to - from) }, (_unused, place) => from + place)
}

interface ToolRowProps {
  readonly tool: AdminTool
  /** The index in the list. */
  readonly place: number
  readonly total: number
  readonly href: string
  readonly project: string | undefined
  readonly isFixedServer: boolean
  readonly onAllow: (tool: AdminTool, allowed: boolean) => void
}

/**
 * One row. Native elements only, because scrolling mounts many rows per second. No CSS containment: measurements showed
 * that it makes scrolling slower.
 */
const ToolRow = memo(function ToolRow({ tool, place, total, href, project, isFixedServer, onAllow }: ToolRowProps) {
  const { tools: words, servers, common } = useText()
  const entry = tool.projects.find((each) => each.project === project)
  const { isOn, isOffGlobally, isFixed } =
    entry === undefined ? { isOn: tool.allowed, isOffGlobally: false, isFixed: isFixedServer } : permissionIn(entry)
  const within = entry === undefined ? tool.projects : [entry]
  const isPinned = within.some(({ override }) => override?.pinned === true)
  const isDeferred = within.some(({ deferred }) => deferred)
  return (
    <li
      className="absolute inset-x-0 flex items-center gap-4 border-b border-line/70 px-5 text-sm"
      style={{ top: place * ROW_HEIGHT, height: ROW_HEIGHT }}
      aria-setsize={total}
      aria-posinset={place + 1}
    >
      <div className="min-w-0 flex-1">
        <div className="flex items-center gap-2">
          <a
            href={href}
            data-tool={tool.key}
            className="truncate font-mono text-[13px] font-medium hover:underline max-sm:py-1"
          >
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
          {/* On small screens the name has its own line. */}
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
        needs={entry === undefined ? 'changeTool' : 'changeProjectTools'}
        checked={isOn}
        disabled={isFixed || isOffGlobally}
        title={isOffGlobally ? words.offGlobally : isFixed ? words.fixed : undefined}
        onChange={(allowed) => onAllow(tool, allowed)}
      />
    </li>
  )
})
