import { Link } from '@tanstack/react-router'
import type { AdminProject } from '@tooldex/contract/admin'
import { Boxes, Plus, Settings } from 'lucide-react'
import { useState } from 'react'
import { useApi } from '../api/queries.ts'
import { Badge } from '../parts/badge.tsx'
import { Button, IconButton } from '../parts/button.tsx'
import { FileBadge } from '../parts/file-badge.tsx'
import { Card, Page } from '../parts/page.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { useText } from '../text/text.ts'
import { CreateProjectDialog } from './create-project-dialog.tsx'
import { ProjectSettingsDialog } from './project-settings-dialog.tsx'

/** All projects. */
export function ProjectsPage() {
  const { projects: words, common } = useText()
  const projects = useApi('listProjects', {})
  const [isCreating, setIsCreating] = useState(false)
  const create = (
    <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setIsCreating(true)}>
      {words.create}
    </Button>
  )
  return (
    <Page title={common.pages.projects} lead={words.lead} actions={create}>
      <Card>
        <Loaded answer={projects}>
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState icon={<Boxes size={24} aria-hidden />} title={words.empty} action={create} />
            ) : (
              <ProjectTable projects={items} />
            )
          }
        </Loaded>
      </Card>
      <CreateProjectDialog open={isCreating} onClose={() => setIsCreating(false)} />
    </Page>
  )
}

function ProjectTable({ projects }: { readonly projects: readonly AdminProject[] }) {
  const { projects: words, common } = useText()
  const columns: readonly Column<AdminProject>[] = [
    {
      id: 'name',
      title: words.project,
      cell: (project) => (
        <span className="flex flex-wrap items-center gap-2">
          <Link to="/projects/$project" params={{ project: project.id }} className="font-medium hover:underline">
            {project.name}
          </Link>
          <FileBadge entry={project} />
        </span>
      ),
    },
    { id: 'servers', title: words.servers, align: 'right', from: 'sm', cell: ({ servers }) => servers.length },
    { id: 'tools', title: words.tools, align: 'right', cell: ({ tools }) => words.toolsOf(tools.eligible, tools.all) },
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
  return <Table caption={common.pages.projects} rows={projects} columns={columns} rowKey={({ id }) => id} />
}

function Strategy({ project }: { readonly project: AdminProject }) {
  const { projects: words } = useText()
  return project.optimization === null ? (
    <Badge>{words.off}</Badge>
  ) : (
    <Badge tone="accent">{project.optimization}</Badge>
  )
}

/** Opens a project's settings. */
export function Gear({ project }: { readonly project: AdminProject }) {
  const { projects: words } = useText()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <IconButton label={words.settingsOf(project.name)} onClick={() => setIsOpen(true)}>
        <Settings size={16} aria-hidden />
      </IconButton>
      {isOpen && <ProjectSettingsDialog project={project} open onClose={() => setIsOpen(false)} />}
    </>
  )
}
