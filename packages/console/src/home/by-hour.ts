/** The activity of one hour. */
export interface HourSums {
  readonly from: number
  readonly searches: number
  readonly calls: number
  readonly errors: number
}

const HOUR = 3_600_000
const HOURS = 24

/** The last 24 hours, one entry each, empty hours included. */
export function byHour(sums: readonly HourSums[], now: number): HourSums[] {
  const last = Math.floor(now / HOUR) * HOUR
  return Array.from({ length: HOURS }, (_unused, place) => {
    const from = last - (HOURS - 1 - place) * HOUR
    const inside = sums.filter((sum) => sum.from >= from && sum.from < from + HOUR)
    const total = (what: 'searches' | 'calls' | 'errors'): number => inside.reduce((all, sum) => all + sum[what], 0)
    return { from, searches: total('searches'), calls: total('calls'), errors: total('errors') }
  })
}

/** Tops of the scale, in tenths of a power of ten; all even. */
const STEPS = [10, 12, 16, 20, 24, 30, 40, 50, 60, 80]

/** The top of a chart's scale: an even number, at least as high as the highest bar. */
export function scaleTop(most: number): number {
  if (most <= 10) return Math.max(4, 2 * Math.ceil(most / 2))
  const size = 10 ** Math.floor(Math.log10(most))
  return (STEPS.find((times) => times * size >= 10 * most) ?? 100) * (size / 10)
}
