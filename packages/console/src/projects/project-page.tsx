import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { AdminProject } from '@tooldex/contract/admin'
import { Settings } from 'lucide-react'
import { useState } from 'react'
import { useApi } from '../api/queries.ts'
import { Badge, FileBadge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Figure } from '../parts/figure.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Removal } from '../parts/dialog.tsx'
import { Loaded } from '../parts/states.tsx'
import { useChange } from '../parts/use-change.ts'
import { useText } from '../text/text.ts'
import { SeenByClients } from './disclosure-preview.tsx'
import { LearnedCard } from './learned-card.tsx'
import { ProjectServers } from './project-servers.tsx'
import { ProjectSettingsDialog } from './project-settings-dialog.tsx'
import { settingWords } from './setting-words.ts'

/** One project: its servers in order, and a preview of what agents see. */
export function ProjectPage() {
  const { project: id } = useParams({ from: '/projects/$project' })
  const project = useApi('getProject', { params: { project: id } })
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
        <Figure
          label={words.tools}
          value={words.toolsOf(project.tools.eligible, project.tools.all)}
          to="/tools"
          search={{ project: project.id }}
        />
        <Figure label={words.servers} value={project.servers.length} />
        <Figure label={words.search} value={settingWords('strategy', project.optimization, text)} />
        <Figure label={words.exposure} value={settingWords('exposure', project.settings.exposure.value, text)} />
      </div>
      <div className="grid items-start gap-5 xl:grid-cols-2">
        <Card title={words.servers} actions={<FileBadge entry={project} />}>
          <ProjectServers project={project} />
        </Card>
        <div className="flex min-w-0 flex-col gap-5">
          <Card title={words.preview}>
            <div className="flex flex-col gap-3 p-5">
              <SeenByClients project={project.id} asked={{}} />
            </div>
          </Card>
          <Card title={words.endpoints}>
            {project.endpoints.length === 0 && (
              <p className="px-5 pt-5 text-sm text-soft">
                {words.noEndpoints}{' '}
                <Link
                  to="/endpoints"
                  search={{ add: '1', project: project.id }}
                  className="font-medium text-accent underline"
                >
                  {words.makeEndpoint}
                </Link>
              </p>
            )}
            <ul className="flex flex-wrap gap-2 p-5 text-sm">
              {project.endpoints.map((endpoint) => (
                <li key={endpoint}>
                  <Link to="/endpoints/$endpoint" params={{ endpoint }}>
                    <Badge tone="accent">{endpoint}</Badge>
                  </Link>
                </li>
              ))}
            </ul>
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
  const remove = useChange('removeProject', {
    done: () => words.removed(project.name),
    onDone: () => void navigate({ to: '/projects' }),
  })
  return (
    <>
      <Button icon={<Settings size={16} aria-hidden />} onClick={() => setIsOpen(true)}>
        {words.settings}
      </Button>
      {isOpen && <ProjectSettingsDialog project={project} onClose={() => setIsOpen(false)} />}
      {project.managedBy === 'store' && (
        <Removal
          verb={words.remove}
          title={words.removeTitle(project.name)}
          consequences={words.removeConsequences(project.endpoints)}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate({ params: { project: project.id }, ifMatch: project.revision })}
        />
      )}
    </>
  )
}
