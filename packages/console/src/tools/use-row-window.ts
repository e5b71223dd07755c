import { type RefObject, useLayoutEffect, useState } from 'react'

/** The rendered rows of a long list. */
export interface RowWindow {
  readonly from: number
  readonly to: number
}

/** The window moves by this many rows, so that most scrolling renders nothing. */
const STEP = 6
/** Rows to render above and below the visible ones. */
const SPARE = 8

/** The visible rows of a scroller and some on either side. Follows scrolling and resizing. */
export function useRowWindow(scroller: RefObject<HTMLElement | null>, rowHeight: number, count: number): RowWindow {
  const [shown, setShown] = useState<RowWindow>({ from: 0, to: 0 })
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const look = (): void => {
      const next = windowAt(element.scrollTop, element.clientHeight, rowHeight)
      setShown((before) => (before.from === next.from && before.to === next.to ? before : next))
    }
    look()
    const resized = new ResizeObserver(look)
    resized.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      resized.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [scroller, rowHeight])
  return { from: Math.min(shown.from, count), to: Math.min(shown.to, count) }
}

/** The window has a constant size, so that both ends move in one update. */
export function windowAt(top: number, height: number, rowHeight: number): RowWindow {
  const first = Math.floor(top / rowHeight) - SPARE
  const from = Math.floor(first / STEP) * STEP
  const size = Math.ceil(height / rowHeight) + 1 + 2 * SPARE + STEP
  return { from: Math.max(0, from), to: from + size }
}
