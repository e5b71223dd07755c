import { Unplug } from 'lucide-react'
import { type ComponentType, createElement, use, useEffect, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Page } from '../parts/page.tsx'
import { EmptyState } from '../parts/states.tsx'
import { useText } from '../text/text.ts'

/**
 * A page whose code loads when it is first opened, or before. If it cannot be loaded, the gateway is away or has another
 * version; the page then waits for the gateway and reloads.
 */
export function lazyPage<Name extends string>(load: () => Promise<Readonly<Record<Name, ComponentType>>>, name: Name) {
  let loaded: ComponentType | undefined
  let loading: Promise<void> | undefined
  let hasFailed = false
  const loadOnce = async (): Promise<void> => {
    try {
      loaded ??= (await load())[name]
      hasFailed = false
    } catch {
      hasFailed = true
    }
    loading = undefined
  }
  const preload = (): Promise<void> => (loading ??= loadOnce())
  const Lazy = () => {
    if (loaded !== undefined) return createElement(loaded)
    if (hasFailed) return <AwaitedPage />
    use(preload())
    return null
  }
  return Object.assign(Lazy, { preload })
}

const LOOK_MS = 2_000
const RELOADED = 'tooldex.reloadedAt'
/** A page that fails again so soon after it was reloaded is not reloaded again. */
const SOON_MS = 20_000

/** Waits for the gateway and then reloads the page. */
function AwaitedPage() {
  const { common } = useText()
  const [isBroken, setIsBroken] = useState(false)
  useEffect(() => {
    if (isBroken) return
    const timer = setInterval(() => {
      fetch('/console/', { cache: 'no-store' }).then(
        ({ ok }) => {
          if (ok && !reload()) setIsBroken(true)
        },
        () => {},
      )
    }, LOOK_MS)
    return () => clearInterval(timer)
  }, [isBroken])
  return (
    <Page title={isBroken ? common.problem : common.away.title}>
      <EmptyState
        icon={<Unplug size={24} aria-hidden />}
        title={isBroken ? common.broken : common.away.text}
        action={
          <Button kind="primary" onClick={() => location.reload()}>
            {common.retry}
          </Button>
        }
      />
    </Page>
  )
}

/** Reloads the page, unless that did not help a moment ago. */
function reload(): boolean {
  try {
    if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < SOON_MS) return false
    sessionStorage.setItem(RELOADED, String(Date.now()))
  } catch {
    return false
  }
  location.reload()
  return true
}
