import { Page } from '../parts/page.tsx'
import { useText } from '../text/text.ts'

/** What limited lists save. */
export function SavingsPage() {
  const { common } = useText()
  return <Page title={common.pages.savings}>{null}</Page>
}
