import { Link, useNavigate } from '@tanstack/react-router'
import type { RouteAnswer } from '@tooldex/contract/admin'
import { type ComponentType, lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { gatewayNow } from '../api/gateway-clock.ts'
import { useApi } from '../api/queries.ts'
import { hourSearch } from '../audit/audit-entries.ts'
import { Loaded, Skeleton } from '../parts/states.tsx'
import { useLanguage, useText } from '../text/text.ts'
import { byHour, type HourSums } from './by-hour.ts'
import type { HourChartProps } from './hour-chart.tsx'

interface ChartProps extends HourChartProps {
  /** The chart cannot be loaded; its library also fails where the browser's language is no valid tag. */
  readonly onMissing: () => void
}

const HourChart = lazy(
  (): Promise<{ default: ComponentType<ChartProps> }> =>
    import('./hour-chart.tsx').then(
      ({ HourChart: chart }) => ({ default: chart }),
      () => ({ default: NoChart }),
    ),
)

function NoChart({ onMissing }: ChartProps) {
  useEffect(onMissing, [onMissing])
  return null
}

/** The searches, calls and errors of the last day, by hour. */
export function useLastDay() {
  // Fixed while the page is open, so that the cache key stays the same.
  const from = useMemo(() => gatewayNow() - 24 * 3_600_000, [])
  return useApi('sumAudit', { query: { from, stepMs: 3_600_000 } }, { refetchInterval: 30_000 })
}

/** Searches, calls and errors of the last day, hour by hour. */
export function Activity({ lastDay }: { readonly lastDay: ReturnType<typeof useLastDay> }) {
  return (
    <Loaded answer={lastDay} skeleton={<Skeleton className="m-5 h-56" />}>
      {(answer: RouteAnswer<'sumAudit'>) => <Hours sums={answer.items} />}
    </Loaded>
  )
}

/** The chart with its figures, which are those of the hour under the pointer, and the same as a table. */
function Hours({ sums }: { readonly sums: readonly HourSums[] }) {
  const { home: words } = useText()
  const navigate = useNavigate()
  const [pointed, setPointed] = useState<number>()
  const [isDrawn, setIsDrawn] = useState(true)
  const showTable = useCallback(() => setIsDrawn(false), [])
  const time = useTimeWords()
  const hours = byHour(sums, gatewayNow())
  const hour = pointed === undefined ? undefined : hours[pointed]
  const sum = (what: 'searches' | 'calls' | 'errors'): number =>
    hour?.[what] ?? sums.reduce((total, each) => total + each[what], 0)
  const isEmpty = hours.every(({ searches, calls }) => searches + calls === 0)
  return (
    <div className="p-5">
      <ul className="mb-4 flex flex-wrap gap-x-6 gap-y-1 text-sm">
        <Legend className="bg-accent" label={words.searches} value={sum('searches')} />
        <Legend className="bg-line-strong" label={words.calls} value={sum('calls')} />
        <Legend className="bg-bad" label={words.errors} value={sum('errors')} />
        {hour !== undefined && (
          <li className="ml-auto text-faint tabular-nums" aria-hidden>
            {`${time(hour.from)} – ${time(hour.from + 3_600_000)}`}
          </li>
        )}
      </ul>
      {isEmpty ? (
        <p className="flex h-48 items-center justify-center rounded-xl border border-dashed border-line text-sm text-soft">
          {words.noActivity}
        </p>
      ) : (
        <Suspense fallback={<Skeleton className="h-48" />}>
          <HourChart
            hours={hours}
            timeOf={time}
            onPoint={setPointed}
            onMissing={showTable}
            onOpen={({ from }) => void navigate({ to: '/audit', search: hourSearch(from) })}
          />
        </Suspense>
      )}
      {!isEmpty && <HourTable hours={hours} isOpen={!isDrawn} />}
    </div>
  )
}

function useTimeWords(): (at: number) => string {
  const language = useLanguage()
  return (at) => new Date(at).toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
}

/** For the keyboard and screen readers: a chart can only be pointed at. */
function HourTable({ hours, isOpen }: { readonly hours: readonly HourSums[]; readonly isOpen: boolean }) {
  const { home: words } = useText()
  const time = useTimeWords()
  const used = hours.filter(({ searches, calls }) => searches + calls > 0)
  return (
    <details open={isOpen} className="mt-3 text-sm">
      <summary className="w-fit cursor-pointer rounded text-[13px] text-soft hover:text-text">{words.asTable}</summary>
      <table className="mt-2 w-full max-w-xl border-collapse">
        <caption className="sr-only">{words.activityTable}</caption>
        <thead>
          <tr className="border-b border-line text-left text-xs text-faint">
            {[words.hour, words.searches, words.calls, words.errors].map((title, place) => (
              <th key={title} scope="col" className={`py-1.5 font-medium ${place === 0 ? '' : 'text-right'}`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {used.toReversed().map((hour) => (
            <tr key={hour.from} className="border-b border-line/70 last:border-b-0">
              <th scope="row" className="py-1.5 text-left font-normal">
                <Link to="/audit" search={hourSearch(hour.from)} className="text-accent-strong underline">
                  {time(hour.from)}
                </Link>
              </th>
              {[hour.searches, hour.calls, hour.errors].map((count, place) => (
                <td key={[words.searches, words.calls, words.errors][place]} className="py-1.5 text-right">
                  {count.toLocaleString()}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
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
      <span className="min-w-8 font-semibold tabular-nums">{value.toLocaleString()}</span>
    </li>
  )
}
