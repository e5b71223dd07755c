import { useRouter } from '@tanstack/react-router'
import type { AdminTool } from '@tooldex/contract/admin'
import { type MouseEvent, useEffect, useRef } from 'react'
import { useText } from '../text/text.ts'
import { ROW_HEIGHT, ToolRow } from './tool-row.tsx'
import { useAllowTool } from './use-allow-tool.ts'
import { useRowWindow } from './use-row-window.ts'

/** More is asked for when fewer rows than this are left. */
const NEAR_END = 40

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
  const { basepath } = useRouter()
  const onLink = useToolLinks()
  const scroller = useRef<HTMLDivElement>(null)
  const { from, to } = useRowWindow(scroller, ROW_HEIGHT, items.length)
  useEffect(() => {
    if (to >= items.length - NEAR_END) onEnd()
  }, [to, items.length, onEnd])
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
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- for the links in it, which have keys of their own */}
        <ul className="relative" style={{ height: items.length * ROW_HEIGHT }} onClick={onLink}>
          {items.slice(from, to).map((tool, place) => (
            <ToolRow
              key={tool.key}
              tool={tool}
              place={from + place}
              total={total}
              href={`${basepath}/tools/${encodeURIComponent(tool.key)}`}
              isFixed={fixedServers.has(tool.server)}
              onAllow={allow}
            />
          ))}
        </ul>
      </div>
    </>
  )
}

/** One listener for the links of all rows: a component for each would be most of the work of scrolling. */
function useToolLinks(): (event: MouseEvent) => void {
  const router = useRouter()
  return (event) => {
    const link = (event.target as Element).closest<HTMLElement>('a[data-tool]')
    const tool = link?.dataset['tool']
    // Other buttons and keys open tabs and windows; that is for the browser.
    if (tool === undefined || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return
    event.preventDefault()
    void router.navigate({ to: '/tools/$tool', params: { tool } })
  }
}
