import type { RouteAnswer } from '@tooldex/contract/admin'
import { useMemo } from 'react'
import { useApi } from '../api/queries.ts'
import { Loaded, Skeleton } from '../parts/states.tsx'
import { useLanguage, useText } from '../text/text.ts'
import { byHour, type HourSums, scaleTop } from './by-hour.ts'

/** Searches, calls and errors of the last day, hour by hour. */
export function Activity() {
  // Fixed while the page is open, so that the cache key stays the same.
  const from = useMemo(() => Date.now() - 24 * 3_600_000, [])
  const sums = useApi('sumAudit', { query: { from, stepMs: 3_600_000 } }, { refetchInterval: 30_000 })
  return (
    <Loaded answer={sums} skeleton={<Skeleton className="m-5 h-44" />}>
      {(answer: RouteAnswer<'sumAudit'>) => <Chart hours={byHour(answer.items, Date.now())} />}
    </Loaded>
  )
}

/** A bar chart, with a table for screen readers. */
function Chart({ hours }: { readonly hours: readonly HourSums[] }) {
  const { home: words } = useText()
  const language = useLanguage()
  const top = scaleTop(Math.max(...hours.map(({ searches, calls }) => searches + calls)))
  const sum = (what: 'searches' | 'calls' | 'errors'): number => hours.reduce((total, hour) => total + hour[what], 0)
  const time = (at: number): string =>
    new Date(at).toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  return (
    <div className="p-5">
      <ul className="mb-5 flex flex-wrap gap-x-6 gap-y-1 text-sm">
        <Legend className="bg-accent" label={words.searches} value={sum('searches')} />
        <Legend className="bg-line-strong" label={words.calls} value={sum('calls')} />
        <Legend className="bg-bad" label={words.errors} value={sum('errors')} />
      </ul>
      <div className="flex gap-2.5" aria-hidden>
        <Scale top={top} />
        <div className="min-w-0 flex-1">
          <div className="relative flex h-44 items-end gap-0.5 border-b border-line sm:gap-1">
            <span className="absolute inset-x-0 top-0 border-t border-dashed border-line" />
            <span className="absolute inset-x-0 top-1/2 border-t border-dashed border-line" />
            {hours.map((hour) => (
              <Bar key={hour.from} hour={hour} top={top} time={time(hour.from)} />
            ))}
            {sum('searches') + sum('calls') === 0 && (
              <span className="absolute inset-0 flex items-center justify-center text-sm text-soft">
                <span className="bg-surface px-3">{words.noActivity}</span>
              </span>
            )}
          </div>
          <div className="mt-1.5 flex justify-between text-xs text-faint tabular-nums">
            {[0, 6, 12, 18, 23].map((place) => (
              <span key={place}>{time(hours[place]?.from ?? 0)}</span>
            ))}
          </div>
        </div>
      </div>
      <div className="sr-only">
        <table>
          <caption>{words.activityTable}</caption>
          <thead>
            <tr>
              <th>{words.hour}</th>
              <th>{words.searches}</th>
              <th>{words.calls}</th>
              <th>{words.errors}</th>
            </tr>
          </thead>
          <tbody>
            {hours.map((hour) => (
              <tr key={hour.from}>
                <td>{time(hour.from)}</td>
                <td>{hour.searches}</td>
                <td>{hour.calls}</td>
                <td>{hour.errors}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

function Scale({ top }: { readonly top: number }) {
  return (
    <div className="-my-2 flex h-48 flex-col justify-between text-right text-xs text-faint tabular-nums">
      {[top, top / 2, 0].map((count) => (
        <span key={count}>{count.toLocaleString()}</span>
      ))}
    </div>
  )
}

interface BarProps {
  readonly hour: HourSums
  readonly top: number
  readonly time: string
}

function Bar({ hour, top, time }: BarProps) {
  const { home: words } = useText()
  const share = (count: number): string => `${(100 * count) / top}%`
  const said = [`${words.searches} ${hour.searches}`, `${words.calls} ${hour.calls}`, `${words.errors} ${hour.errors}`]
  return (
    <span
      title={[time, ...said].join(' · ')}
      className="relative flex h-full flex-1 flex-col justify-end overflow-hidden rounded-t hover:bg-sunken"
    >
      <span className="rounded-t bg-line-strong" style={{ height: share(hour.calls) }} />
      <span className="bg-accent" style={{ height: share(hour.searches) }} />
      <span className="absolute bottom-0 left-0 w-1 bg-bad" style={{ height: share(hour.errors) }} />
    </span>
  )
}

function Legend({
  className,
  label,
  value,
}: {
  readonly className: string
  readonly label: string
  readonly value: number
}) {
  return (
    <li className="flex items-center gap-2">
      <span className={`size-2.5 rounded-sm ${className}`} aria-hidden />
      <span className="text-soft">{label}</span>
      <span className="font-semibold tabular-nums">{value.toLocaleString()}</span>
    </li>
  )
}
