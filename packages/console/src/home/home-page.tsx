import { Page } from '../parts/page.tsx'
import { useText } from '../text/text.ts'

/** State at a glance. */
export function HomePage() {
  const { common } = useText()
  return <Page title={common.pages.home}>{null}</Page>
}
