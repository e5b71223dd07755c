import { useMemo } from 'react'
import type { RouteAnswer } from '@tooldex/contract/admin'
import { useApi } from '../api/queries.ts'
import { Loaded, Skeleton } from '../parts/states.tsx'
import { useLanguage, useText } from '../text/text.ts'
import { byHour, type HourSums } from './by-hour.ts'

/** Searches, calls and errors of the last day, hour by hour. */
export function Activity() {
  // One question for as long as the page is open; events and time ask it again.
  const from = useMemo(() => Date.now() - 24 * 3_600_000, [])
  const sums = useApi('sumAudit', { query: { from, stepMs: 3_600_000 } }, { refetchInterval: 30_000 })
  return (
    <Loaded answer={sums} skeleton={<Skeleton className="m-5 h-44" />}>
      {(answer: RouteAnswer<'sumAudit'>) => <Chart hours={byHour(answer.items, Date.now())} />}
    </Loaded>
  )
}

const WIDTH = 720
const HEIGHT = 150

/** A picture for those who see, a table for those who do not. */
function Chart({ hours }: { readonly hours: readonly HourSums[] }) {
  const { home: words } = useText()
  const language = useLanguage()
  const most = Math.max(1, ...hours.map(({ searches, calls }) => searches + calls))
  const step = WIDTH / hours.length
  const heightOf = (count: number): number => (count / most) * (HEIGHT - 10)
  const sum = (what: 'searches' | 'calls' | 'errors'): number => hours.reduce((total, hour) => total + hour[what], 0)
  const time = (at: number): string => new Date(at).toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' })
  return (
    <div className="p-5">
      <ul className="mb-4 flex flex-wrap gap-x-6 gap-y-1 text-sm">
        <Legend className="bg-accent" label={words.searches} value={sum('searches')} />
        <Legend className="bg-line-strong" label={words.calls} value={sum('calls')} />
        <Legend className="bg-bad" label={words.errors} value={sum('errors')} />
      </ul>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="h-40 w-full" preserveAspectRatio="none" aria-hidden>
        {hours.map((hour, place) => {
          const searches = heightOf(hour.searches)
          const calls = heightOf(hour.calls)
          const errors = heightOf(Math.min(hour.errors, hour.searches + hour.calls))
          const x = place * step + 2
          return (
            <g key={hour.from}>
              <rect x={x} y={HEIGHT - 1} width={step - 4} height={1} className="fill-line" />
              <rect x={x} y={HEIGHT - searches} width={step - 4} height={searches} className="fill-accent" />
              <rect x={x} y={HEIGHT - searches - calls} width={step - 4} height={calls} className="fill-line-strong" />
              <rect x={x} y={HEIGHT - errors} width={4} height={errors} className="fill-bad" />
            </g>
          )
        })}
      </svg>
      <div className="mt-1 flex justify-between text-xs text-faint" aria-hidden>
        <span>{time(hours[0]?.from ?? 0)}</span>
        <span>{time(hours.at(-1)?.from ?? 0)}</span>
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
