import { Link } from '@tanstack/react-router'
import type { RouteAnswer } from '@tooldex/contract/admin'
import { useState } from 'react'
import { useApi } from '../api/queries.ts'
import { CodeBlock } from '../parts/code-block.tsx'
import { Loaded } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useText } from '../text/text.ts'

type Snippet = RouteAnswer<'endpointSnippets'>['items'][number]

interface ConnectSnippetsProps {
  readonly endpoint: string
  /** The client to show first. */
  readonly client?: string | undefined
  readonly onClient?: (client: string) => void
  /** The secret of a new token, to fill in. */
  readonly secret?: string
}

/** Commands and configurations that connect well-known clients, ready to copy. */
export function ConnectSnippets({ endpoint, client, onClient, secret }: ConnectSnippetsProps) {
  const { endpoints: words } = useText()
  const [chosen, setChosen] = useState(client)
  const snippets = useApi('endpointSnippets', { params: { endpoint }, query: { url: location.origin } })
  return (
    <Loaded answer={snippets}>
      {({ items }) => (
        <Tabs
          look="pills"
          label={words.whichClient}
          value={items.some((item) => item.client === chosen) ? (chosen ?? '') : (items[0]?.client ?? '')}
          onChange={(next) => {
            setChosen(next)
            onClient?.(next)
          }}
          tabs={items.map((item) => ({
            id: item.client,
            title: item.client,
            content: <SnippetView snippet={item} secret={secret} />,
          }))}
        />
      )}
    </Loaded>
  )
}

/** The gateway's placeholder for a token. */
const PLACE = '<token>'

function SnippetView({ snippet, secret }: { readonly snippet: Snippet; readonly secret: string | undefined }) {
  const { endpoints: words } = useText()
  const { client, file, kind, text } = snippet
  const hasPlace = text.includes(PLACE)
  return (
    <div className="flex flex-col gap-3 p-5">
      <p className="text-sm text-soft">
        {file === undefined ? words.kinds[kind] : words.goesInto(file)}
        {hasPlace && secret === undefined && (
          <>
            {' · '}
            {words.connectLead}{' '}
            <Link to="/tokens" search={{ add: '1' }} className="font-medium text-accent underline">
              {words.makeToken}
            </Link>
          </>
        )}
      </p>
      <CodeBlock text={secret === undefined ? text : text.replaceAll(PLACE, secret)} what={client} />
    </div>
  )
}
