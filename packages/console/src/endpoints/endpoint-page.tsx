import { useNavigate, useParams } from '@tanstack/react-router'
import type { AdminEndpoint } from '@tooldex/contract/admin'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useApi } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { ConfirmDialog } from '../parts/dialog.tsx'
import { FileBadge } from '../parts/file-badge.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { useText } from '../text/text.ts'
import { ConnectSnippets } from './connect-snippets.tsx'
import { EndpointOverrides } from './endpoint-overrides.tsx'
import { SettingsInForce } from './settings-in-force.tsx'

/** One endpoint: how to connect to it, what it overrides, and what holds in the end. */
export function EndpointPage() {
  const { endpoint: id } = useParams({ from: '/endpoints/$endpoint' })
  const { endpoints: words } = useText()
  const endpoint = useApi('getEndpoint', { params: { endpoint: id } })
  return (
    <Page
      title={id}
      lead={endpoint.data !== undefined && <span className="font-mono">{location.origin + endpoint.data.path}</span>}
      actions={endpoint.data?.managedBy === 'store' && <Remove endpoint={endpoint.data} />}
    >
      <Loaded answer={endpoint}>
        {(loaded) => (
          <>
            <Card title={words.connect}>
              <ConnectSnippets endpoint={id} />
            </Card>
            <div className="grid items-start gap-5 xl:grid-cols-2">
              <Card title={words.overrides} actions={<FileBadge entry={loaded} />}>
                <EndpointOverrides key={loaded.revision} endpoint={loaded} />
              </Card>
              <Card title={words.inForce}>
                <SettingsInForce settings={loaded.settings} />
              </Card>
            </div>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Remove({ endpoint }: { readonly endpoint: AdminEndpoint }) {
  const { endpoints: words } = useText()
  const navigate = useNavigate()
  const [isOpen, setIsOpen] = useState(false)
  const remove = useChange('removeEndpoint', {
    done: () => words.removed(endpoint.id),
    onDone: () => void navigate({ to: '/endpoints' }),
  })
  return (
    <>
      <Button kind="danger" icon={<Trash2 size={15} aria-hidden />} onClick={() => setIsOpen(true)}>
        {words.remove}
      </Button>
      <ConfirmDialog
        open={isOpen}
        onClose={() => setIsOpen(false)}
        title={words.removeTitle(endpoint.id)}
        consequences={words.removeConsequences}
        verb={words.remove}
        busy={remove.isPending}
        onConfirm={() => remove.mutate({ params: { endpoint: endpoint.id }, ifMatch: endpoint.revision })}
      />
    </>
  )
}
