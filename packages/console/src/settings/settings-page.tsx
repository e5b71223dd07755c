import { useText } from '../text/text.ts'
import { Card, Page } from '../parts/page.tsx'
import { AuditRetention } from './audit-retention.tsx'
import { StoreHealth } from './store-health.tsx'
import { Transfer } from './transfer.tsx'

/** Settings of the gateway as a whole. */
export function SettingsPage() {
  const { settings: words, common } = useText()
  return (
    <Page title={common.pages.settings} lead={words.lead}>
      <div className="grid items-start gap-5 xl:grid-cols-2">
        <Card title={words.audit}>
          <AuditRetention />
        </Card>
        <Card title={words.store}>
          <StoreHealth />
        </Card>
        <Card title={words.transfer} className="xl:col-span-2">
          <Transfer />
        </Card>
      </div>
    </Page>
  )
}
