import { useSyncExternalStore } from 'react'
import { gatewayNow } from '../api/gateway-clock.ts'
import { useLanguage, useText } from '../text/text.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A relative time, with the exact time on hover. Updates every ten seconds. */
export function RelativeTime({ at }: { readonly at: number }) {
  const { common } = useText()
  const language = useLanguage()
  const now = useSyncExternalStore(followClock, clock)
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={new Date(at).toLocaleString(language)}
      className="whitespace-nowrap"
    >
      {at <= now ? past(now - at, common.ago) : future(at - now, common.inFuture)}
    </time>
  )
}

/** An exact time. */
export function ExactTime({ at }: { readonly at: number }) {
  const language = useLanguage()
  return (
    <time dateTime={new Date(at).toISOString()} className="whitespace-nowrap">
      {new Date(at).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'medium' })}
    </time>
  )
}

/** A time to the minute, for figures. */
export function ShortTime({ at }: { readonly at: number }) {
  const language = useLanguage()
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString(language)}>
      {new Date(at).toLocaleString(language, {
        month: 'short',
        day: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
      })}
    </time>
  )
}

type Ago = ReturnType<typeof useText>['common']['ago']
type InFuture = ReturnType<typeof useText>['common']['inFuture']

function past(ms: number, ago: Ago): string {
  if (ms < 10 * SECOND) return ago.now
  if (ms < MINUTE) return ago.seconds(Math.floor(ms / SECOND))
  if (ms < HOUR) return ago.minutes(Math.floor(ms / MINUTE))
  return ms < DAY ? ago.hours(Math.floor(ms / HOUR)) : ago.days(Math.floor(ms / DAY))
}

function future(ms: number, soon: InFuture): string {
  if (ms < MINUTE) return soon.soon
  if (ms < HOUR) return soon.minutes(Math.round(ms / MINUTE))
  return ms < DAY ? soon.hours(Math.round(ms / HOUR)) : soon.days(Math.round(ms / DAY))
}

const TICK = 10 * SECOND

function clock(): number {
  return Math.ceil(gatewayNow() / TICK) * TICK
}

function followClock(tick: () => void): () => void {
  const timer = setInterval(tick, TICK)
  return () => clearInterval(timer)
}
