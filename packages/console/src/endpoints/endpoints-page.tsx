import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { AdminEndpoint } from '@tooldex/contract/admin'
import { Plug } from 'lucide-react'
import { useState } from 'react'
import { useApi } from '../api/queries.ts'
import { Badge, FileBadge } from '../parts/badge.tsx'
import { FormDialog } from '../parts/forms/change-form.tsx'
import { CopyButton } from '../parts/code-block.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { type Column, RowLink, RowName } from '../parts/table.tsx'
import { useChange } from '../parts/forms/use-change.ts'
import { settingWords } from '../projects/setting-words.ts'
import { type Text, useText } from '../text/text.ts'
import { useProjectName } from '../tools/use-project-tools.ts'

/** All endpoints. */
export function EndpointsPage() {
  const text = useText()
  const { endpoints: words, common } = text
  return (
    <ListPage
      title={common.pages.endpoints}
      lead={words.lead}
      answer={useApi('listEndpoints', {})}
      columns={columnsIn(text, useProjectName())}
      isDimmed={({ isServed }) => !isServed}
      wordsOf={({ id, path, project }) => `${id} ${path} ${project}`}
      add={words.create}
      needs="createEndpoint"
      dialog={(close) => <CreateEndpointDialog onClose={close} />}
      empty={{ icon: Plug, title: words.create }}
    />
  )
}

function columnsIn(text: Text, projectName: (id: string) => string): readonly Column<AdminEndpoint>[] {
  const { endpoints: words } = text
  return [
    {
      id: 'id',
      title: words.endpoint,
      sortBy: ({ id }) => id,
      cell: (endpoint) => (
        <RowName>
          <RowLink to="/endpoints/$endpoint" params={{ endpoint: endpoint.id }}>
            {endpoint.id}
          </RowLink>
          <FileBadge entry={endpoint} />
          {endpoint.auth === 'none' && <Badge tone="warn">{words.noAuth}</Badge>}
          {!endpoint.isServed && (
            <Badge tone="bad" title={words.notServed}>
              404
            </Badge>
          )}
        </RowName>
      ),
    },
    {
      id: 'address',
      title: words.address,
      cell: ({ path }) => (
        <span className="flex items-center gap-1 font-mono text-[13px]">
          {path}
          <CopyButton text={location.origin + path} what={words.address} />
        </span>
      ),
    },
    {
      id: 'project',
      title: words.project,
      sortBy: ({ project }) => projectName(project),
      from: 'sm',
      cell: ({ project }) => (
        <Link to="/projects/$project" params={{ project }} className="hover:underline">
          {projectName(project)}
        </Link>
      ),
    },
    {
      id: 'exposure',
      title: words.exposure,
      from: 'lg',
      cell: ({ settings }) => settingWords('exposure', settings.exposure.value, text),
    },
    {
      id: 'strategy',
      title: words.strategy,
      from: 'lg',
      cell: ({ settings }) => settingWords('strategy', settings.strategy.value, text),
    },
  ]
}

/** Creates an endpoint for a project. */
function CreateEndpointDialog({ onClose }: { readonly onClose: () => void }) {
  const { endpoints: words } = useText()
  const navigate = useNavigate()
  const projects = useApi('listProjects', {}).data?.items ?? []
  const [id, setId] = useState('')
  const { project: asked = 'default' } = useSearch({ strict: false })
  const [project, setProject] = useState(asked)
  const create = useChange('createEndpoint', {
    problemToast: false,
    done: (made) => words.created(made.id),
    onDone: (made) =>
      void navigate({ to: '/endpoints/$endpoint', params: { endpoint: made.id }, replace: true, ignoreBlocker: true }),
  })
  return (
    <FormDialog
      title={words.create}
      onClose={onClose}
      change={create}
      isChanged={id !== ''}
      fields={['id', 'project']}
      onSubmit={() => create.mutate({ body: { id: id.trim(), project } })}
    >
      {(problemOf) => (
        <>
          <TextField
            label={words.id}
            hint={words.idHint}
            required
            isCode
            value={id}
            onChange={(event) => setId(event.target.value)}
            problem={problemOf('id')}
          />
          <SelectField
            label={words.project}
            value={project}
            choices={projects.map((each) => ({ value: each.id, label: each.name }))}
            onChoose={setProject}
            problem={problemOf('project')}
          />
        </>
      )}
    </FormDialog>
  )
}
