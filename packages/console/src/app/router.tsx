import { createRootRoute, createRoute, createRouter, type ErrorComponentProps, Link } from '@tanstack/react-router'
import { Compass, TriangleAlert } from 'lucide-react'
import { Button } from '../parts/button.tsx'
import { type PageSearch, readPageSearch, writePageSearch } from '../parts/page-search.ts'
import { Page } from '../parts/page.tsx'
import { EmptyState, SkeletonRows } from '../parts/states.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { lazyPage } from './lazy-page.tsx'
import { Shell } from './shell.tsx'

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFoundPage,
  validateSearch: (search): PageSearch => search as PageSearch,
})

/** The code of a page loads when the page is first opened or its link is hovered, or soon after signing in. */
const page = <Path extends string>(path: Path, component: ReturnType<typeof lazyPage>) =>
  createRoute({ getParentRoute: () => root, path, component })

const routes = [
  page(
    '/',
    lazyPage(() => import('../home/home-page.tsx'), 'HomePage'),
  ),
  page(
    '/servers',
    lazyPage(() => import('../servers/servers-page.tsx'), 'ServersPage'),
  ),
  page(
    '/servers/$server',
    lazyPage(() => import('../servers/server-page.tsx'), 'ServerPage'),
  ),
  page(
    '/tools',
    lazyPage(() => import('../tools/tools-page.tsx'), 'ToolsPage'),
  ),
  page(
    '/tools/$tool',
    lazyPage(() => import('../tools/tool-page.tsx'), 'ToolPage'),
  ),
  page(
    '/projects',
    lazyPage(() => import('../projects/projects-page.tsx'), 'ProjectsPage'),
  ),
  page(
    '/projects/$project',
    lazyPage(() => import('../projects/project-page.tsx'), 'ProjectPage'),
  ),
  page(
    '/endpoints',
    lazyPage(() => import('../endpoints/endpoints-page.tsx'), 'EndpointsPage'),
  ),
  page(
    '/endpoints/$endpoint',
    lazyPage(() => import('../endpoints/endpoint-page.tsx'), 'EndpointPage'),
  ),
  page(
    '/tokens',
    lazyPage(() => import('../tokens/tokens-page.tsx'), 'TokensPage'),
  ),
  page(
    '/tokens/$token',
    lazyPage(() => import('../tokens/token-page.tsx'), 'TokenPage'),
  ),
  page(
    '/prompts',
    lazyPage(() => import('../try/prompts-page.tsx'), 'PromptsPage'),
  ),
  page(
    '/review',
    lazyPage(() => import('../review/review-page.tsx'), 'ReviewPage'),
  ),
  page(
    '/search',
    lazyPage(() => import('../search/search-page.tsx'), 'SearchPage'),
  ),
  page(
    '/audit',
    lazyPage(() => import('../audit/audit-page.tsx'), 'AuditPage'),
  ),
  page(
    '/savings',
    lazyPage(() => import('../savings/savings-page.tsx'), 'SavingsPage'),
  ),
  page(
    '/settings',
    lazyPage(() => import('../settings/settings-page.tsx'), 'SettingsPage'),
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
