import type { RouteAnswer } from '@tooldex/contract/admin'
import { useState } from 'react'
import { useApi } from '../api/queries.ts'
import { ConnectSnippets } from '../endpoints/connect-snippets.tsx'
import { Button } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Dialog, FIRST } from '../parts/dialog.tsx'
import { SelectField } from '../parts/field.tsx'
import { useText } from '../text/text.ts'

type Made = RouteAnswer<'createToken'>

/** The secret of a token that was just made, shown once: alone, and where each client wants it. */
export function MadeToken({ made, onClose }: { readonly made: Made; readonly onClose: () => void }) {
  const { tokens: words } = useText()
  return (
    <Dialog
      open
      onClose={onClose}
      title={words.madeTitle}
      lead={words.madeLead}
      size={made.token.kind === 'client' ? 'large' : 'normal'}
      actions={
        <Button kind="primary" onClick={onClose}>
          {words.made}
        </Button>
      }
    >
      <div {...FIRST}>
        <CodeBlock text={made.secret} what={words.secret} />
      </div>
      {made.token.kind === 'client' && <Connect made={made} />}
    </Dialog>
  )
}

/** Lines for the endpoints that the token opens, with the secret in its place. */
function Connect({ made }: { readonly made: Made }) {
  const { tokens: words, endpoints: names } = useText()
  const { projects } = made.token
  const all = useApi('listEndpoints', {}).data?.items ?? []
  const open = all.filter(({ project, isServed }) => isServed && (projects?.includes(project) ?? true))
  const [chosen, setChosen] = useState<string>()
  const endpoint = chosen ?? open[0]?.id
  if (endpoint === undefined) return null
  return (
    <section aria-label={words.connect} className="mt-5 rounded-xl border border-line">
      <header className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-5 py-3">
        <h3 className="text-sm font-semibold">{words.connect}</h3>
        {open.length > 1 && (
          <SelectField
            className="w-56"
            label={names.endpoint}
            hideLabel
            value={endpoint}
            choices={open.map(({ id }) => ({ value: id, label: id }))}
            onChoose={setChosen}
          />
        )}
      </header>
      <ConnectSnippets key={endpoint} endpoint={endpoint} secret={made.secret} />
    </section>
  )
}
