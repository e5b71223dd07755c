import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  Link,
} from '@tanstack/react-router'
import { Compass, TriangleAlert } from 'lucide-react'
import { Button } from '../parts/button.tsx'
import { type PageSearch, readPageSearch, writePageSearch } from '../parts/page-search.ts'
import { Page } from '../parts/page.tsx'
import { EmptyState, SkeletonRows } from '../parts/states.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { Shell } from './shell.tsx'

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFoundPage,
  validateSearch: (search): PageSearch => search as PageSearch,
})

/** The code of a page loads when the page is first opened or its link is hovered. */
const page = <Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => root, path, component })

const routes = [
  page(
    '/',
    lazyRouteComponent(() => import('../home/home-page.tsx'), 'HomePage'),
  ),
  page(
    '/servers',
    lazyRouteComponent(() => import('../servers/servers-page.tsx'), 'ServersPage'),
  ),
  page(
    '/servers/$server',
    lazyRouteComponent(() => import('../servers/server-page.tsx'), 'ServerPage'),
  ),
  page(
    '/tools',
    lazyRouteComponent(() => import('../tools/tools-page.tsx'), 'ToolsPage'),
  ),
  page(
    '/tools/$tool',
    lazyRouteComponent(() => import('../tools/tool-page.tsx'), 'ToolPage'),
  ),
  page(
    '/projects',
    lazyRouteComponent(() => import('../projects/projects-page.tsx'), 'ProjectsPage'),
  ),
  page(
    '/projects/$project',
    lazyRouteComponent(() => import('../projects/project-page.tsx'), 'ProjectPage'),
  ),
  page(
    '/endpoints',
    lazyRouteComponent(() => import('../endpoints/endpoints-page.tsx'), 'EndpointsPage'),
  ),
  page(
    '/endpoints/$endpoint',
    lazyRouteComponent(() => import('../endpoints/endpoint-page.tsx'), 'EndpointPage'),
  ),
  page(
    '/tokens',
    lazyRouteComponent(() => import('../tokens/tokens-page.tsx'), 'TokensPage'),
  ),
  page(
    '/tokens/$token',
    lazyRouteComponent(() => import('../tokens/token-page.tsx'), 'TokenPage'),
  ),
  page(
    '/review',
    lazyRouteComponent(() => import('../review/review-page.tsx'), 'ReviewPage'),
  ),
  page(
    '/search',
    lazyRouteComponent(() => import('../search/search-page.tsx'), 'SearchPage'),
  ),
  page(
    '/audit',
    lazyRouteComponent(() => import('../audit/audit-page.tsx'), 'AuditPage'),
  ),
  page(
    '/savings',
    lazyRouteComponent(() => import('../savings/savings-page.tsx'), 'SavingsPage'),
  ),
  page(
    '/settings',
    lazyRouteComponent(() => import('../settings/settings-page.tsx'), 'SettingsPage'),
  ),
] as const

/** All pages, by address. */
export const router = createRouter({
  routeTree: root.addChildren([...routes]),
  basepath: '/console',
  parseSearch: readPageSearch,
  stringifySearch: writePageSearch,
  defaultPreload: 'intent',
  defaultPendingComponent: SkeletonRows,
  defaultErrorComponent: BrokenPage,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** Shown when a page fails to load or to render. */
function BrokenPage({ error }: ErrorComponentProps) {
  const { common } = useText()
  return (
    <Page title={common.problem}>
      <EmptyState
        icon={<TriangleAlert size={24} aria-hidden />}
        title={common.broken}
        action={
          <Button kind="primary" onClick={() => location.reload()}>
            {common.retry}
          </Button>
        }
      >
        <UntrustedText most={300}>{error instanceof Error ? error.message : String(error)}</UntrustedText>
      </EmptyState>
    </Page>
  )
}

/** Shown for unknown addresses. */
function NotFoundPage() {
  const { common } = useText()
  return (
    <Page title={common.notFound.title}>
      <EmptyState
        icon={<Compass size={24} aria-hidden />}
        title={common.notFound.text}
        action={
          <Link to="/" className="text-sm font-medium text-accent underline">
            {common.notFound.home}
          </Link>
        }
      />
    </Page>
  )
}
