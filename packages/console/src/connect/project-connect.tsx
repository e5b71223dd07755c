import { Link } from '@tanstack/react-router'
import type { AdminProject } from '@tooldex/contract/admin'
import { Plug } from 'lucide-react'
import { useState } from 'react'
import { useApi } from '../api/queries.ts'
import { ConnectSnippets } from './connect-snippets.tsx'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { FormDialog } from '../parts/forms/change-form.tsx'
import { CodeBlock, CopyButton } from '../parts/code-block.tsx'
import { Dialog, FIRST } from '../parts/dialog.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { useChange } from '../parts/forms/use-change.ts'
import { useText } from '../text/text.ts'

/** The endpoints of a project and the tokens for it; both are made here, with the lines that connect a client. */
export function ProjectConnect({ project }: { readonly project: AdminProject }) {
  const { projects: words, endpoints: endpointWords } = useText()
  const [isOpen, setIsOpen] = useState(false)
  const endpoints = (useApi('listEndpoints', {}).data?.items ?? []).filter((each) => each.project === project.id)
  const tokens = (useApi('listTokens', {}).data?.items ?? []).filter(
    ({ kind, projects }) => kind === 'client' && projects?.includes(project.id) === true,
  )
  return (
    <div className="flex flex-col gap-4 p-5 text-sm">
      {endpoints.length === 0 ? (
        <p className="text-soft">{words.noEndpoints}</p>
      ) : (
        <ul className="flex flex-col gap-1.5" aria-label={words.endpoints}>
          {endpoints.map(({ id, path, auth }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-2">
              <Link to="/endpoints/$endpoint" params={{ endpoint: id }} className="font-medium hover:underline">
                {id}
              </Link>
              {auth === 'none' && <Badge tone="warn">{endpointWords.noAuth}</Badge>}
              <span className="ml-auto flex items-center font-mono text-[13px] text-soft">
                {path}
                <CopyButton text={location.origin + path} what={endpointWords.address} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {tokens.length > 0 && (
        <p className="flex flex-wrap items-center gap-1.5 text-soft">
          {words.tokens}
          {tokens.map(({ id, name }) => (
            <Link key={id} to="/tokens/$token" params={{ token: id }}>
              <Badge>{name}</Badge>
            </Link>
          ))}
        </p>
      )}
      <Button
        kind="primary"
        needs="createToken"
        className="self-start"
        icon={<Plug size={15} aria-hidden />}
        onClick={() => setIsOpen(true)}
      >
        {words.connect}
      </Button>
      {isOpen && (
        <ConnectDialog project={project} endpoints={endpoints.map(({ id }) => id)} onClose={() => setIsOpen(false)} />
      )}
    </div>
  )
}

const NEW = ''

interface ConnectDialogProps {
  readonly project: AdminProject
  readonly endpoints: readonly string[]
  readonly onClose: () => void
}

/** Makes an endpoint, unless there is one, and a token for one client, and shows the lines to paste. */
function ConnectDialog({ project, endpoints, onClose }: ConnectDialogProps) {
  const { projects: words, endpoints: endpointWords, tokens: tokenWords } = useText()
  const [endpoint, setEndpoint] = useState(endpoints[0] ?? NEW)
  const [id, setId] = useState(project.id)
  const [name, setName] = useState(words.tokenFor(project.name))
  const createToken = useChange('createToken', { problemToast: false })
  const createEndpoint = useChange('createEndpoint', { problemToast: false })
  const made = createToken.data
  const makeToken = (): void => createToken.mutate({ body: { name, projects: [project.id] } })
  const submit = (): void => {
    if (endpoint !== NEW) return makeToken()
    createEndpoint.mutate(
      { body: { id: id.trim(), project: project.id } },
      {
        onSuccess: (created) => {
          // A token that is refused does not make the endpoint again.
          setEndpoint(created.id)
          makeToken()
        },
      },
    )
  }
  if (made !== undefined) return <ConnectedDialog endpoint={endpoint} secret={made.secret} onClose={onClose} />
  return (
    <FormDialog
      title={words.connect}
      lead={words.connectLead}
      submit={words.connectSubmit}
      onClose={onClose}
      change={{
        isPending: createEndpoint.isPending || createToken.isPending,
        error: createToken.error ?? createEndpoint.error,
      }}
      isChanged={id !== project.id || name !== words.tokenFor(project.name)}
      fields={['id', 'name']}
      onSubmit={submit}
    >
      {(problemOf) => (
        <>
          {endpoints.length > 0 && (
            <SelectField
              label={endpointWords.endpoint}
              value={endpoint}
              choices={[
                ...endpoints.map((each) => ({ value: each, label: each })),
                { value: NEW, label: endpointWords.create },
              ]}
              onChoose={setEndpoint}
            />
          )}
          {endpoint === NEW && (
            <TextField
              label={words.endpointId}
              hint={endpointWords.idHint}
              required
              isCode
              value={id}
              onChange={(event) => setId(event.target.value)}
              problem={problemOf('id')}
            />
          )}
          <TextField
            label={words.tokenName}
            hint={tokenWords.nameHint}
            required
            value={name}
            onChange={(event) => setName(event.target.value)}
            problem={problemOf('name')}
          />
        </>
      )}
    </FormDialog>
  )
}

interface ConnectedProps {
  readonly endpoint: string
  readonly secret: string
  readonly onClose: () => void
}

/** The secret of the new token, shown once: alone, and in the lines for each client. */
function ConnectedDialog({ endpoint, secret, onClose }: ConnectedProps) {
  const { tokens: words } = useText()
  return (
    <Dialog
      open
      onClose={onClose}
      title={words.madeTitle}
      lead={words.madeLead}
      size="large"
      actions={
        <Button kind="primary" onClick={onClose}>
          {words.made}
        </Button>
      }
    >
      <div {...FIRST}>
        <CodeBlock text={secret} what={words.secret} />
      </div>
      <section aria-label={words.connect} className="mt-5 rounded-xl border border-line">
        <ConnectSnippets endpoint={endpoint} secret={secret} />
      </section>
    </Dialog>
  )
}
