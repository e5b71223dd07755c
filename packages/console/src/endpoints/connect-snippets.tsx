import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useApi } from '../api/queries.ts'
import { CodeBlock } from '../parts/code-block.tsx'
import { Loaded } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useText } from '../text/text.ts'

/** What to type or paste to connect well-known clients, ready to copy. */
export function ConnectSnippets({ endpoint }: { readonly endpoint: string }) {
  const { endpoints: words } = useText()
  const { client } = useSearch({ strict: false })
  const navigate = useNavigate()
  const snippets = useApi('endpointSnippets', { params: { endpoint }, query: { url: location.origin } })
  return (
    <Loaded answer={snippets}>
      {({ items }) => (
        <Tabs
          label={words.whichClient}
          value={client ?? items[0]?.client ?? ''}
          onChange={(next) => void navigate({ to: '.', search: { client: next }, replace: true })}
          tabs={items.map((item) => ({
            id: item.client,
            title: item.client,
            content: (
              <div className="flex flex-col gap-3 p-5">
                <p className="text-sm text-soft">
                  {item.file === undefined ? words.kinds[item.kind] : words.goesInto(item.file)} · {words.connectLead}{' '}
                  <Link to="/tokens" className="font-medium text-accent underline">
                    {words.makeToken}
                  </Link>
                </p>
                <CodeBlock text={item.text} what={item.client} />
              </div>
            ),
          }))}
        />
      )}
    </Loaded>
  )
}
