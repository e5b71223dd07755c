import { useIsFetching } from '@tanstack/react-query'
import { useRouter, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { loadJsonEditor } from '../parts/json/json-field.tsx'

/** How long nothing was asked of the gateway, the code of the page included, when the first page counts as shown. */
const QUIET_MS = 500
/** When the code of the other pages is loaded after that. */
const PRELOAD_AFTER_MS = 2_500

/** Loads what the first page can do without, when it is shown: fonts, and the code of all other pages and of the editor. Renders nothing. */
export function Later() {
  const { routesById } = useRouter()
  const isLoading = useRouterState({ select: ({ status }) => status === 'pending' })
  const isBusy = useIsFetching() > 0 || isLoading
  useEffect(() => {
    if (isBusy) return
    const fonts = setTimeout(showFonts, QUIET_MS)
    const pages = setTimeout(() => void preloadAll(Object.values(routesById)), QUIET_MS + PRELOAD_AFTER_MS)
    return () => {
      clearTimeout(fonts)
      clearTimeout(pages)
    }
  }, [isBusy, routesById])
  return null
}

/** Uses the console's own fonts. Kept, because from now on the browser has them: theme.js uses them before the first paint. */
function showFonts(): void {
  document.documentElement.dataset['fonts'] = ''
  localStorage.setItem('tooldex.fonts', '1')
}

/** One after the other, so that pages also open while the gateway is away. */
async function preloadAll(routes: readonly { readonly options: { readonly component?: unknown } }[]): Promise<void> {
  for (const { options } of routes)
    await (options.component as { preload?: () => Promise<void> } | undefined)?.preload?.()
  await loadJsonEditor().catch(() => {})
}
