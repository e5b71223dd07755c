import { Page } from '../parts/page.tsx'
import { useText } from '../text/text.ts'

/** All projects. */
export function ProjectsPage() {
  const { common } = useText()
  return <Page title={common.pages.projects}>{null}</Page>
}
