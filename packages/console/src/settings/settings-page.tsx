import { Page } from '../parts/page.tsx'
import { useText } from '../text/text.ts'

/** Settings of the gateway. */
export function SettingsPage() {
  const { common } = useText()
  return <Page title={common.pages.settings}>{null}</Page>
}
