import { Page } from '../parts/page.tsx'
import { useText } from '../text/text.ts'

/** One endpoint. */
export function EndpointPage() {
  const { common } = useText()
  return <Page title={common.pages.endpoints}>{null}</Page>
}
