import { useNavigate, useParams } from '@tanstack/react-router'
import type { AdminProject } from '@tooldex/contract/admin'
import { Copy, Settings } from 'lucide-react'
import { useState } from 'react'
import { useApi, useEarly } from '../api/queries.ts'
import { FileBadge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { FormDialog } from '../parts/forms/change-form.tsx'
import { TextField } from '../parts/field.tsx'
import { Figure } from '../parts/figure.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Removal } from '../parts/dialog.tsx'
import { Loaded } from '../parts/states.tsx'
import { useChange } from '../parts/forms/use-change.ts'
import { useText } from '../text/text.ts'
import { SeenByClients } from './disclosure-preview.tsx'
import { LearnedCard } from './learned-card.tsx'
import { LeavesDefault } from './leaves-default.tsx'
import { ProjectConnect } from '../connect/project-connect.tsx'
import { ProjectServers } from './project-servers.tsx'
import { ProjectSettingsDialog } from './project-settings-dialog.tsx'
import { ProjectTools, useToolsEarly } from './project-tools.tsx'
import { settingWords } from './setting-words.ts'

/** One project: its servers and tools, how clients connect to it, and a preview of what agents see. */
export function ProjectPage() {
  const { project: id } = useParams({ from: '/projects/$project' })
  const project = useApi('getProject', { params: { project: id } })
  useToolsEarly(id)
  useEarly('listServers', {})
  useEarly('listProjects', {})
  useEarly('listEndpoints', {})
  useEarly('listTokens', {})
  useEarly('previewProject', { params: { project: id }, body: {} })
  return (
    <Page
      title={project.data?.name ?? id}
      among="projects"
      actions={project.data !== undefined && <Actions project={project.data} />}
    >
      <Loaded answer={project}>{(loaded) => <Body project={loaded} />}</Loaded>
    </Page>
  )
}

function Body({ project }: { readonly project: AdminProject }) {
  const text = useText()
  const { projects: words } = text
  return (
    <>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure label={words.tools} value={words.toolsOf(project.tools.eligible, project.tools.all)} />
        <Figure label={words.servers} value={project.servers.length} />
        <Figure label={words.search} value={settingWords('strategy', project.optimization, text)} />
        <Figure label={words.exposure} value={settingWords('exposure', project.settings.exposure.value, text)} />
      </div>
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_20rem] 2xl:grid-cols-[minmax(0,1fr)_26rem]">
        <div className="flex min-w-0 flex-col gap-5">
          <Card title={words.servers} actions={<FileBadge entry={project} />}>
            <ProjectServers project={project} />
          </Card>
          <Card title={words.tools}>
            <ProjectTools project={project} />
          </Card>
        </div>
        <div className="flex min-w-0 flex-col gap-5 xl:sticky xl:top-5">
          <Card title={words.endpoints}>
            <ProjectConnect project={project} />
          </Card>
          <Card title={words.preview}>
            <div className="flex flex-col gap-3 p-5">
              <SeenByClients project={project.id} asked={{}} />
            </div>
          </Card>
        </div>
      </div>
      <LearnedCard project={project.id} />
    </>
  )
}

function Actions({ project }: { readonly project: AdminProject }) {
  const { projects: words } = useText()
  const navigate = useNavigate()
  const [isOpen, setIsOpen] = useState(false)
  const [isCloning, setIsCloning] = useState(false)
  const remove = useChange('removeProject', {
    done: () => words.removed(project.name),
    onDone: () => void navigate({ to: '/projects' }),
  })
  return (
    <>
      <Button icon={<Settings size={16} aria-hidden />} onClick={() => setIsOpen(true)}>
        {words.settings}
      </Button>
      <Button needs="createProject" icon={<Copy size={15} aria-hidden />} onClick={() => setIsCloning(true)}>
        {words.clone}
      </Button>
      {isCloning && <CloneProjectDialog project={project} onClose={() => setIsCloning(false)} />}
      {isOpen && <ProjectSettingsDialog project={project} onClose={() => setIsOpen(false)} />}
      {project.managedBy === 'store' && (
        <Removal
          verb={words.remove}
          needs="removeProject"
          title={words.removeTitle(project.name)}
          consequences={words.removeConsequences(project.endpoints)}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate({ params: { project: project.id }, ifMatch: project.revision })}
        />
      )}
    </>
  )
}

/** Makes a project with the servers, tools and settings of another one. */
function CloneProjectDialog({ project, onClose }: { readonly project: AdminProject; readonly onClose: () => void }) {
  const { projects: words } = useText()
  const navigate = useNavigate()
  const suggested = words.cloneOf(project.name)
  const [name, setName] = useState(suggested)
  const create = useChange('createProject', {
    problemToast: false,
    done: (made) => words.created(made.name),
    onDone: (made) => {
      onClose()
      void navigate({ to: '/projects/$project', params: { project: made.id }, ignoreBlocker: true })
    },
  })
  return (
    <FormDialog
      title={words.clone}
      lead={words.cloneLead}
      onClose={onClose}
      change={create}
      isChanged={name !== suggested}
      fields={['name']}
      onSubmit={() => create.mutate({ body: { ...project.config, servers: [...project.servers], name } })}
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
          <LeavesDefault servers={project.servers} />
        </>
      )}
    </FormDialog>
  )
}
