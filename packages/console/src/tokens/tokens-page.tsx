import { Page } from '../parts/page.tsx'
import { useText } from '../text/text.ts'

/** All tokens. */
export function TokensPage() {
  const { common } = useText()
  return <Page title={common.pages.tokens}>{null}</Page>
}
