import { type RefObject, useLayoutEffect, useState } from 'react'

/** Which rows of a long list exist. */
export interface RowWindow {
  readonly from: number
  readonly to: number
}

/** Rows come and go this many at a time, so that most scrolling renders nothing. */
const STEP = 6
/** Kept on either side of what is in sight. */
const SPARE = 8

/** The rows of a height that are in sight of a scroller, and some on either side; follows scrolling and resizing. */
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

/** As many rows wherever it is, so that its beginning and its end change at once. */
export function windowAt(top: number, height: number, rowHeight: number): RowWindow {
  const first = Math.floor(top / rowHeight) - SPARE
  const from = Math.floor(first / STEP) * STEP
  const size = Math.ceil(height / rowHeight) + 1 + 2 * SPARE + STEP
  return { from: Math.max(0, from), to: from + size }
}
