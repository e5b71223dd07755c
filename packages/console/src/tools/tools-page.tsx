import { Page } from '../parts/page.tsx'
import { useText } from '../text/text.ts'

/** All tools. */
export function ToolsPage() {
  const { common } = useText()
  return <Page title={common.pages.tools}>{null}</Page>
}
