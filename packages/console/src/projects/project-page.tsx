import { Page } from '../parts/page.tsx'
import { useText } from '../text/text.ts'

/** One project. */
export function ProjectPage() {
  const { common } = useText()
  return <Page title={common.pages.projects}>{null}</Page>
}
