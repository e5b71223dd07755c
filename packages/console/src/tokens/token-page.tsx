import { Page } from '../parts/page.tsx'
import { useText } from '../text/text.ts'

/** One token. */
export function TokenPage() {
  const { common } = useText()
  return <Page title={common.pages.tokens}>{null}</Page>
}
