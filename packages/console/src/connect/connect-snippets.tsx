import { Link } from '@tanstack/react-router'
import type { InstalledClient, RouteAnswer } from '@tooldex/contract/admin'
import { useState } from 'react'
import { useApi } from '../api/queries.ts'
import { CodeBlock } from '../parts/code-block.tsx'
import { useRefusal } from '../parts/role.tsx'
import { Loaded, SkeletonRows } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useText } from '../text/text.ts'
import { WriteClient } from './write-client.tsx'

type Snippet = RouteAnswer<'endpointSnippets'>['items'][number]

interface ConnectSnippetsProps {
  readonly endpoint: string
  /** The client to show first. */
  readonly client?: string | undefined
  readonly onClient?: (client: string) => void
  /** The secret of a new token, to fill in. */
  readonly secret?: string
}

/**
 * Commands and configurations that connect well-known clients, ready to copy. On the machine of the gateway, the clients that
 * were found come first, and the gateway can write itself into their files.
 */
export function ConnectSnippets({ endpoint, client, onClient, secret }: ConnectSnippetsProps) {
  const { endpoints: words } = useText()
  const [chosen, setChosen] = useState(client)
  const snippets = useApi('endpointSnippets', { params: { endpoint }, query: { url: location.origin } })
  const machine = useApi('getMachine', {})
  if (machine.isPending) return <SkeletonRows rows={3} />
  // A role that may not ask for the machine still gets the lines to paste.
  const found = new Map((machine.data?.clients ?? []).map((each) => [each.title, each]))
  return (
    <Loaded answer={snippets}>
      {({ items: all }) => {
        const items = [
          ...all.filter((item) => found.has(item.client)),
          ...all.filter((item) => !found.has(item.client)),
        ]
        return (
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
              content: (
                <SnippetView
                  snippet={item}
                  endpoint={endpoint}
                  secret={secret}
                  installed={found.get(item.client)}
                  isThisMachine={machine.data?.isThisMachine === true}
                />
              ),
            }))}
          />
        )
      }}
    </Loaded>
  )
}

/** The gateway's placeholder for a token. */
const PLACE = '<token>'

interface SnippetViewProps {
  readonly snippet: Snippet
  readonly endpoint: string
  readonly secret: string | undefined
  /** The client, if it was found on this machine. */
  readonly installed: InstalledClient | undefined
  readonly isThisMachine: boolean
}

function SnippetView({ snippet, endpoint, secret, installed, isThisMachine }: SnippetViewProps) {
  const { endpoints: words } = useText()
  const { client, file, kind, text } = snippet
  const refusal = useRefusal('createToken')
  const hasPlace = text.includes(PLACE)
  return (
    <div className="flex flex-col gap-3 p-5">
      <p className="text-sm text-soft">
        {file === undefined ? words.kinds[kind] : words.goesInto(file)}
        {hasPlace && secret === undefined && (
          <>
            {' · '}
            {words.connectLead}{' '}
            {refusal === undefined && (
              <Link to="/tokens" search={{ add: '1' }} className="font-medium text-accent underline">
                {words.makeToken}
              </Link>
            )}
          </>
        )}
      </p>
      <CodeBlock text={secret === undefined ? text : text.replaceAll(PLACE, secret)} what={client} />
      {installed !== undefined && <WriteClient installed={installed} endpoint={endpoint} secret={secret} />}
      {installed === undefined && isThisMachine && file !== undefined && (
        <p className="text-[13px] text-faint">{words.write.notFound(client)}</p>
      )}
    </div>
  )
}
