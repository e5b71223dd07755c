import { Page } from '../parts/page.tsx'
import { useText } from '../text/text.ts'

/** One tool. */
export function ToolPage() {
  const { common } = useText()
  return <Page title={common.pages.tools}>{null}</Page>
}
