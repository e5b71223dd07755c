import { useEffect, useRef, useSyncExternalStore } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { type HourSums, scaleTop } from './by-hour.ts'

const HOUR = 3_600_000
const HEIGHT = 208

/** The hours to draw, and what a person does with them. */
export interface HourChartProps {
  readonly hours: readonly HourSums[]
  readonly timeOf: (at: number) => string
  /** The place of the hour under the pointer. */
  readonly onPoint: (place: number | undefined) => void
  readonly onOpen: (hour: HourSums) => void
}

/** Bars of calls and searches, one above the other, with the failed ones in front. A click opens the hour. */
export function HourChart(props: HourChartProps) {
  const place = useRef<HTMLDivElement>(null)
  // The chart is drawn anew for other data; its handlers are always the latest.
  const latest = useRef(props)
  latest.current = props
  const theme = useSyncExternalStore(followTheme, shownTheme)
  const data = JSON.stringify(props.hours)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const hours = latest.current.hours
    const chart = new UPlot(optionsOf(element, hours, latest), barsOf(hours), element)
    const resized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }))
    resized.observe(element)
    return () => {
      resized.disconnect()
      chart.destroy()
    }
  }, [data, theme])
  return <div ref={place} aria-hidden className="h-52 w-full" />
}

/** A canvas does not follow the colours of the page by itself. */
function followTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}

function shownTheme(): string | undefined {
  return document.documentElement.dataset['theme']
}

/** All bars begin at zero, so that the sums come first and the parts are drawn over them. */
function barsOf(hours: readonly HourSums[]): UPlot.AlignedData {
  const top = topOf(hours)
  return [
    hours.map(({ from }) => from / 1_000),
    hours.map(({ searches, calls }) => searches + calls),
    hours.map(({ searches }) => searches),
    // A single failure of thousands stays visible.
    hours.map(({ errors }) => (errors === 0 ? 0 : Math.max(errors, top / 60))),
  ]
}

function topOf(hours: readonly HourSums[]): number {
  return scaleTop(Math.max(...hours.map(({ searches, calls }) => searches + calls)))
}

function optionsOf(
  element: HTMLElement,
  hours: readonly HourSums[],
  latest: { readonly current: HourChartProps },
): UPlot.Options {
  const colour = (name: string): string => getComputedStyle(element).getPropertyValue(name)
  const [line, faint] = [colour('--line'), colour('--text-faint')]
  const font = `12px ${getComputedStyle(element).fontFamily}`
  const first = (hours[0]?.from ?? 0) / 1_000
  const bars = (size: number) => UPlot.paths.bars?.({ size: [size, 64], radius: 0.12 })
  const series = (fill: string, size: number): UPlot.Series => {
    const paths = bars(size)
    return { fill, width: 0, points: { show: false }, ...(paths !== undefined && { paths }) }
  }
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [10, 16, 0, 0],
    legend: { show: false },
    scales: {
      x: { range: [first - HOUR / 2_000, first + (hours.length - 0.5) * (HOUR / 1_000)] },
      y: { range: [0, topOf(hours)] },
    },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    axes: [
      {
        stroke: faint,
        font,
        grid: { show: false },
        ticks: { show: false },
        splits: () => [0, 6, 12, 18, 23].map((hour) => first + (hour * HOUR) / 1_000),
        values: (_chart, seconds) => seconds.map((at) => latest.current.timeOf(at * 1_000)),
      },
      {
        stroke: faint,
        font,
        size: 44,
        gap: 6,
        grid: { stroke: line, width: 1, dash: [3, 3] },
        ticks: { show: false },
        splits: () => [0, topOf(hours) / 2, topOf(hours)],
        values: (_chart, counts) => counts.map((count) => count.toLocaleString()),
      },
    ],
    series: [
      {},
      series(colour('--line-strong'), 0.72),
      series(colour('--accent'), 0.72),
      series(colour('--bad'), 0.72),
    ],
    hooks: {
      init: [
        ({ over }) => {
          over.style.cursor = 'pointer'
        },
      ],
      ready: [
        (chart) =>
          chart.over.addEventListener('click', () => {
            const { idx } = chart.cursor
            const hour = typeof idx === 'number' ? latest.current.hours[idx] : undefined
            if (hour !== undefined) latest.current.onOpen(hour)
          }),
      ],
      setCursor: [
        ({ cursor: { idx, left = -1 } }) => {
          latest.current.onPoint(typeof idx === 'number' && left >= 0 ? idx : undefined)
        },
      ],
    },
  }
}
