import { useQueryClient } from '@tanstack/react-query'
import type { AdminTool, AdminToolDetail } from '@tooldex/contract/admin'
import { useEffect, useState } from 'react'
import { useApi } from '../api/queries.ts'
import { changedIn, updateOptimistically } from '../api/optimistic-update.ts'
import { Badge, FileNote } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { TextAreaField } from '../parts/field.tsx'
import { Switch } from '../parts/switch.tsx'
import { useToasts } from '../parts/toasts.tsx'
import { useChange } from '../parts/use-change.ts'
import { useText } from '../text/text.ts'
import { type OverridePatch, takenBack, withPatch } from './tool-override.ts'
import { useAllowTool } from './use-allow-tool.ts'

type InProject = AdminToolDetail['projects'][number]

/** The permissions of a tool: global, and per project. */
export function ToolPermissions({ tool }: { readonly tool: AdminToolDetail }) {
  const { tools: words } = useText()
  const server = useApi('getServer', { params: { server: tool.server } }).data
  const allow = useAllowTool()
  return (
    <div className="flex flex-col gap-5 p-5">
      <Switch
        label={words.global}
        hint={words.globalHint}
        checked={tool.allowed}
        disabled={server?.managedBy === 'file'}
        onChange={(allowed) => allow(tool.key, allowed)}
      />
      {server !== undefined && <FileNote entry={server} />}
      <ul className="flex flex-col gap-3" aria-label={words.inProjects}>
        {tool.projects.map((entry) => (
          <li key={entry.project} className="rounded-xl border border-line p-4">
            <ProjectEntry tool={tool.key} entry={entry} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function ProjectEntry({ tool, entry }: { readonly tool: string; readonly entry: InProject }) {
  const { tools: words } = useText()
  const { project, override } = entry
  const [description, setDescription] = useState(override?.description ?? '')
  useEffect(() => setDescription(override?.description ?? ''), [override?.description])
  const isFixed = entry.managedBy === 'file'
  const { save: set, isBusy } = useProjectTool(tool, entry)
  const configs = useApi('listProjects', {}).data?.items ?? []
  const isAllowList = configs.find(({ id }) => id === project)?.config.allow === 'only'
  return (
    <div role="group" aria-label={project} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2 text-sm font-medium">
        {project}
        {!entry.eligible && <Badge tone="warn">{words.notEligible}</Badge>}
      </div>
      <div className="grid gap-3 sm:grid-cols-3">
        <Switch
          label={words.allowed}
          disabled={isFixed}
          checked={isAllowList ? override?.allowed === true : override?.allowed !== false}
          // Without a decision an allow-list denies, and every other project allows.
          onChange={(allowed) => set(allowed === isAllowList ? { allowed } : { unset: ['allowed'] })}
        />
        <Switch
          label={words.pinned}
          hint={words.pinnedHint}
          disabled={isFixed}
          checked={override?.pinned === true}
          onChange={(pinned) => set(pinned ? { pinned } : { unset: ['pinned'] })}
        />
        <Switch
          label={words.deferred}
          hint={words.deferredHint}
          disabled={isFixed}
          checked={override?.deferLoading === true}
          onChange={(deferLoading) => set({ deferLoading })}
        />
      </div>
      <TextAreaField
        label={words.override}
        hint={words.overrideHint}
        rows={2}
        disabled={isFixed}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      {description !== (override?.description ?? '') && (
        <Button
          size="small"
          className="self-start"
          busy={isBusy}
          onClick={() => set(description === '' ? { unset: ['description'] } : { description })}
        >
          {words.saveOverride}
        </Button>
      )}
    </div>
  )
}

/** Changes a project's override of a tool: optimistic, rolled back with the reason if refused, and undoable. */
function useProjectTool(tool: string, { project, override = {} }: InProject) {
  const { common } = useText()
  const client = useQueryClient()
  const toasts = useToasts()
  const change = useChange('changeProjectTool', {
    touches: 'tools',
    optimistic: ({ body }) =>
      updateOptimistically(client, ['getTool', 'listTools'], (answer) =>
        changedIn<AdminTool>(
          answer,
          (thing) => 'key' in thing && thing.key === tool,
          (shown) => ({ ...shown, projects: shown.projects.map((each) => patched(each, project, body ?? {})) }),
        ),
      ),
  })
  const send = (body: OverridePatch, onSuccess: () => void): void =>
    change.mutate({ params: { project, tool }, body }, { onSuccess })
  const save = (body: OverridePatch): void => {
    const back = takenBack(override, body)
    send(body, () => toasts.done(common.saved, () => send(back, () => {})))
  }
  return { save, isBusy: change.isPending }
}

function patched(entry: InProject, project: string, body: OverridePatch): InProject {
  return entry.project === project ? { ...entry, override: withPatch(entry.override ?? {}, body) } : entry
}
