import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { AdminEndpoint } from '@tooldex/contract/admin'
import { useChange } from '../api/change.ts'
import { useApi } from '../api/queries.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { FileBadge } from '../parts/file-badge.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Removal } from '../parts/removal.tsx'
import { Loaded } from '../parts/states.tsx'
import { useText } from '../text/text.ts'
import { ConnectSnippets } from './connect-snippets.tsx'
import { EndpointOverrides } from './endpoint-overrides.tsx'
import { SettingsInForce } from './settings-in-force.tsx'

/** One endpoint: how to connect to it, what it overrides, and what holds in the end. */
export function EndpointPage() {
  const { endpoint: id } = useParams({ from: '/endpoints/$endpoint' })
  const { client } = useSearch({ strict: false })
  const navigate = useNavigate()
  const { endpoints: words } = useText()
  const endpoint = useApi('getEndpoint', { params: { endpoint: id } })
  return (
    <Page
      title={id}
      among="endpoints"
      lead={endpoint.data !== undefined && <Address path={endpoint.data.path} />}
      actions={endpoint.data?.managedBy === 'store' && <Remove endpoint={endpoint.data} />}
    >
      <Loaded answer={endpoint}>
        {(loaded) => (
          <>
            <Card title={words.connect}>
              <ConnectSnippets
                key={id}
                endpoint={id}
                client={client}
                onClient={(next) => void navigate({ to: '.', search: { client: next }, replace: true })}
              />
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

function Address({ path }: { readonly path: string }) {
  const { endpoints: words } = useText()
  const address = location.origin + path
  return (
    <span className="flex items-center gap-1 font-mono text-[13px]">
      <span className="min-w-0 wrap-anywhere">{address}</span>
      <CopyButton text={address} what={words.address} />
    </span>
  )
}

function Remove({ endpoint }: { readonly endpoint: AdminEndpoint }) {
  const { endpoints: words } = useText()
  const navigate = useNavigate()
  const remove = useChange('removeEndpoint', {
    done: () => words.removed(endpoint.id),
    onDone: () => void navigate({ to: '/endpoints' }),
  })
  return (
    <Removal
      verb={words.remove}
      title={words.removeTitle(endpoint.id)}
      consequences={words.removeConsequences}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate({ params: { endpoint: endpoint.id }, ifMatch: endpoint.revision })}
    />
  )
}
