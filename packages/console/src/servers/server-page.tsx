import { Page } from '../parts/page.tsx'
import { useText } from '../text/text.ts'

/** One server. */
export function ServerPage() {
  const { common } = useText()
  return <Page title={common.pages.servers}>{null}</Page>
}
