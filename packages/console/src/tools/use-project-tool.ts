import { useQueryClient } from '@tanstack/react-query'
import type { AdminTool, AdminToolDetail } from '@tooldex/contract/admin'
import { useChange } from '../api/change.ts'
import { changedIn, showAtOnce } from '../api/show-at-once.ts'
import { useToasts } from '../parts/toasts.tsx'
import { useText } from '../text/text.ts'
import { type OverridePatch, takenBack, withPatch } from './tool-override.ts'

type InProject = AdminToolDetail['projects'][number]

/** Changes what a project says of a tool: shown at once, rolled back with the reason if refused, and offered back. */
export function useProjectTool(tool: string, { project, override = {} }: InProject) {
  const { tools: words } = useText()
  const client = useQueryClient()
  const toasts = useToasts()
  const change = useChange('changeProjectTool', {
    touches: 'tools',
    optimistic: ({ body }) =>
      showAtOnce(client, ['getTool', 'listTools'], (answer) =>
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
    send(body, () => toasts.done(words.saved(tool), () => send(back, () => {})))
  }
  return { save, isBusy: change.isPending }
}

function patched(entry: InProject, project: string, body: OverridePatch): InProject {
  return entry.project === project ? { ...entry, override: withPatch(entry.override ?? {}, body) } : entry
}
