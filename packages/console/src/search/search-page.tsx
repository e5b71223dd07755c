import { Page } from '../parts/page.tsx'
import { useText } from '../text/text.ts'

/** The search playground. */
export function SearchPage() {
  const { common } = useText()
  return <Page title={common.pages.search}>{null}</Page>
}
