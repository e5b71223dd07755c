import { Page } from '../parts/page.tsx'
import { useText } from '../text/text.ts'

/** All endpoints. */
export function EndpointsPage() {
  const { common } = useText()
  return <Page title={common.pages.endpoints}>{null}</Page>
}
