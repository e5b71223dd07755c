import { useNavigate } from '@tanstack/react-router'
import type { AdminProject } from '@tooldex/contract/admin'
import { Boxes, Settings } from 'lucide-react'
import { useState } from 'react'
import { useApi } from '../api/queries.ts'
import { Badge, FileBadge } from '../parts/badge.tsx'
import { IconButton } from '../parts/button.tsx'
import { FormDialog } from '../parts/forms/change-form.tsx'
import { ChecklistField } from '../parts/checklist.tsx'
import { TextField } from '../parts/field.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { type Column, RowLink, RowName } from '../parts/table.tsx'
import { useChange } from '../parts/forms/use-change.ts'
import { type Text, useText } from '../text/text.ts'
import { LeavesDefault } from './leaves-default.tsx'
import { ProjectSettingsDialog } from './project-settings-dialog.tsx'
import { settingWords } from './setting-words.ts'

/** All projects. */
export function ProjectsPage() {
  const { projects: words, common } = useText()
  return (
    <ListPage
      title={common.pages.projects}
      lead={words.lead}
      answer={useApi('listProjects', {})}
      columns={columnsIn(words)}
      wordsOf={({ id, name }) => `${id} ${name}`}
      add={words.create}
      needs="createProject"
      dialog={(close) => <CreateProjectDialog onClose={close} />}
      empty={{ icon: Boxes, title: words.empty }}
    />
  )
}

function columnsIn(words: Text['projects']): readonly Column<AdminProject>[] {
  return [
    {
      id: 'name',
      title: words.project,
      sortBy: ({ name }) => name,
      cell: (project) => (
        <RowName>
          <RowLink to="/projects/$project" params={{ project: project.id }}>
            {project.name}
          </RowLink>
          <FileBadge entry={project} />
        </RowName>
      ),
    },
    {
      id: 'servers',
      title: words.servers,
      align: 'right',
      from: 'sm',
      sortBy: ({ servers }) => servers.length,
      cell: ({ servers }) => servers.length,
    },
    {
      id: 'tools',
      title: words.tools,
      align: 'right',
      sortBy: ({ tools }) => tools.eligible,
      cell: ({ tools }) => words.toolsOf(tools.eligible, tools.all),
    },
    { id: 'search', title: words.search, cell: (project) => <Strategy project={project} /> },
    {
      id: 'endpoints',
      title: words.endpoints,
      from: 'lg',
      cell: ({ endpoints }) => (
        <span className="flex flex-wrap gap-1.5">
          {endpoints.map((endpoint) => (
            <Badge key={endpoint}>{endpoint}</Badge>
          ))}
        </span>
      ),
    },
    {
      id: 'settings',
      title: <span className="sr-only">{words.settings}</span>,
      align: 'right',
      cell: (project) => <Gear project={project} />,
    },
  ]
}

function Strategy({ project }: { readonly project: AdminProject }) {
  const text = useText()
  const name = settingWords('strategy', project.optimization, text)
  return project.optimization === null ? <Badge>{name}</Badge> : <Badge tone="accent">{name}</Badge>
}

/** Opens a project's settings. */
function Gear({ project }: { readonly project: AdminProject }) {
  const { projects: words } = useText()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <IconButton label={words.settingsOf(project.name)} onClick={() => setIsOpen(true)}>
        <Settings size={16} aria-hidden />
      </IconButton>
      {isOpen && <ProjectSettingsDialog project={project} onClose={() => setIsOpen(false)} />}
    </>
  )
}

/** Creates a project from some servers. */
function CreateProjectDialog({ onClose }: { readonly onClose: () => void }) {
  const { projects: words } = useText()
  const navigate = useNavigate()
  const servers = useApi('listServers', {}).data?.items ?? []
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const create = useChange('createProject', {
    problemToast: false,
    done: (made) => words.created(made.name),
    onDone: (made) =>
      void navigate({ to: '/projects/$project', params: { project: made.id }, replace: true, ignoreBlocker: true }),
  })
  return (
    <FormDialog
      title={words.create}
      onClose={onClose}
      change={create}
      isChanged={name !== '' || chosen.length > 0}
      fields={['name']}
      onSubmit={() => create.mutate({ body: { name, servers: [...chosen] } })}
    >
      {(problemOf) => (
        <>
          <TextField
            label={words.name}
            hint={words.nameHint}
            required
            value={name}
            onChange={(event) => setName(event.target.value)}
            problem={problemOf('name')}
          />
          {servers.length > 0 && (
            <ChecklistField
              label={words.servers}
              choices={servers.map((server) => ({ value: server.id, label: server.name }))}
              chosen={chosen}
              onChange={setChosen}
            />
          )}
          <LeavesDefault servers={chosen} />
        </>
      )}
    </FormDialog>
  )
}
