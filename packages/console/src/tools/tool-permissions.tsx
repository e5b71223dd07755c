import { Link } from '@tanstack/react-router'
import type { AdminToolDetail } from '@tooldex/contract/admin'
import { useApi } from '../api/queries.ts'
import { Badge, FileNote } from '../parts/badge.tsx'
import { Switch } from '../parts/switch.tsx'
import { useText } from '../text/text.ts'
import type { OverridePatch } from './tool-override.ts'
import { allowPatch, permissionIn } from './tool-permission.ts'
import { ToolTexts } from './tool-texts.tsx'
import { useAllowTool } from './use-allow-tool.ts'
import { useIsAllowList, useProjectName, useProjectTools } from './use-project-tools.ts'

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
        needs="changeTool"
        hint={words.globalHint}
        checked={tool.allowed}
        disabled={server?.managedBy === 'file'}
        onChange={(allowed) => allow(tool.key, allowed)}
      />
      {server !== undefined && <FileNote entry={server} />}
      <ul className="flex flex-col gap-3" aria-label={words.inProjects}>
        {tool.projects.map((entry) => (
          <li key={entry.project} className="rounded-xl border border-line p-4">
            <ProjectEntry tool={tool} entry={entry} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function ProjectEntry({ tool, entry }: { readonly tool: AdminToolDetail; readonly entry: InProject }) {
  const { tools: words } = useText()
  const { project, override } = entry
  const name = useProjectName()(project)
  const isAllowList = useIsAllowList()(project)
  const { isOn, isOffGlobally, isFixed } = permissionIn(entry)
  const change = useProjectTools(project)
  const set = (patch: OverridePatch): void => change([tool], patch)
  return (
    <div role="group" aria-label={name} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2 text-sm font-medium">
        <Link to="/projects/$project" params={{ project }} className="hover:underline">
          {name}
        </Link>
        {!entry.eligible && isOn && <Badge tone="warn">{words.notEligible}</Badge>}
      </div>
      <div className="grid gap-3 sm:grid-cols-3">
        <Switch
          label={words.allowed}
          needs="changeProjectTools"
          {...(isOffGlobally && { hint: words.offGlobally })}
          disabled={isFixed || isOffGlobally}
          checked={isOn}
          onChange={(allowed) => set(allowPatch(allowed, isAllowList))}
        />
        <Switch
          label={words.pinned}
          needs="changeProjectTools"
          hint={words.pinnedHint}
          disabled={isFixed}
          checked={override?.pinned === true}
          onChange={(pinned) => set(pinned ? { pinned } : { unset: ['pinned'] })}
        />
        <Switch
          label={words.deferred}
          needs="changeProjectTools"
          hint={words.deferredHint}
          disabled={isFixed}
          checked={override?.deferLoading === true}
          onChange={(deferLoading) => set({ deferLoading })}
        />
      </div>
      {!isFixed && <ToolTexts tool={tool} entry={entry} />}
    </div>
  )
}
