import { useQueryClient } from '@tanstack/react-query'
import type { AdminTool } from '@tooldex/contract/admin'
import { useCallback } from 'react'
import { changedIn, updateOptimistically } from '../api/optimistic-update.ts'
import { useApi } from '../api/queries.ts'
import { useToasts } from '../parts/toasts.tsx'
import { useChange } from '../parts/forms/use-change.ts'
import { useText } from '../text/text.ts'
import { type OverridePatch, takenBack, withPatch } from './tool-override.ts'
import { withPermission } from './tool-permission.ts'

type Patches = Readonly<Record<string, OverridePatch>>

const SHOWN_BY = ['listTools', 'getTool'] as const

/** Changes the settings of tools in a project: optimistic, rolled back with the reason if refused, and undoable. */
export function useProjectTools(project: string): (tools: readonly AdminTool[], patch: OverridePatch) => void {
  const { common } = useText()
  const client = useQueryClient()
  const toasts = useToasts()
  const isAllowList = useIsAllowList()(project)
  const { mutate } = useChange('changeProjectTools', {
    optimistic: ({ body }) => {
      const patches = new Map(Object.entries(body.tools))
      return updateOptimistically(client, SHOWN_BY, (answer) =>
        changedIn<AdminTool>(
          answer,
          (thing) => 'key' in thing && patches.has(String(thing.key)),
          (shown) => ({
            ...shown,
            projects: shown.projects.map((each) =>
              each.project === project
                ? withPermission(
                    { ...each, override: withPatch(each.override ?? {}, patches.get(shown.key) ?? {}) },
                    isAllowList,
                  )
                : each,
            ),
          }),
        ),
      )
    },
  })
  return useCallback(
    (tools, patch) => {
      const send = (patches: Patches, onSuccess: () => void): void =>
        mutate({ params: { project }, body: { tools: patches } }, { onSuccess })
      const entryOf = ({ projects }: AdminTool) => projects.find((each) => each.project === project)
      const back = tools.map((tool) => [tool.key, takenBack(entryOf(tool)?.override ?? {}, patch)] as const)
      send(Object.fromEntries(tools.map(({ key }) => [key, patch])), () =>
        toasts.done(common.saved, () => send(Object.fromEntries(back), () => {})),
      )
    },
    [mutate, project, toasts, common],
  )
}

/** Whether a project is an allow-list. */
export function useIsAllowList(): (project: string) => boolean {
  const projects = useApi('listProjects', {}).data?.items
  return (project) => projects?.find(({ id }) => id === project)?.config.allow === 'only'
}

/** The name of a project; its id while the projects are not loaded. */
export function useProjectName(): (project: string) => string {
  const projects = useApi('listProjects', {}).data?.items
  return (project) => projects?.find(({ id }) => id === project)?.name ?? project
}
