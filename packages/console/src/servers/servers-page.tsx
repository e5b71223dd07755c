import { Page } from '../parts/page.tsx'
import { useText } from '../text/text.ts'

/** All servers. */
export function ServersPage() {
  const { common } = useText()
  return <Page title={common.pages.servers}>{null}</Page>
}
