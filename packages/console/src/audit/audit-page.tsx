import { Page } from '../parts/page.tsx'
import { useText } from '../text/text.ts'

/** Who searched and called what. */
export function AuditPage() {
  const { common } = useText()
  return <Page title={common.pages.audit}>{null}</Page>
}
