import { useQueryClient } from '@tanstack/react-query'
import type { AdminProject } from '@tooldex/contract/admin'
import { useChange } from '../api/change.ts'
import { changedIn, showAtOnce } from '../api/show-at-once.ts'
import { useToasts } from '../parts/toasts.tsx'

/** Changes the servers of a project: shown at once, rolled back with the reason if refused, and offered back. */
export function useProjectServers(project: AdminProject) {
  const client = useQueryClient()
  const toasts = useToasts()
  const show = (changed: (shown: AdminProject) => AdminProject): (() => void) =>
    showAtOnce(client, ['getProject', 'listProjects'], (answer) =>
      changedIn<AdminProject>(answer, (thing) => 'id' in thing && thing.id === project.id, changed),
    )
  const change = useChange('changeProject', {
    optimistic: ({ body }) => {
      const servers = [...(body?.servers ?? [])]
      return show((shown) => ({ ...shown, servers, config: { ...shown.config, servers } }))
    },
    // The next change is made for this revision.
    onDone: (answer) => void show(() => answer),
  })
  const send = (
    servers: readonly string[],
    revision: string | undefined,
    onSuccess: (answer: AdminProject) => void,
  ): void =>
    change.mutate(
      { params: { project: project.id }, body: { servers: [...servers] }, ifMatch: revision },
      { onSuccess },
    )
  /** What is said of it can be taken back; moving one up is taken back by moving it down. */
  const save = (servers: readonly string[], said?: string): void => {
    const before = project.config.servers ?? project.servers
    send(servers, project.revision, ({ revision }) => {
      if (said !== undefined) toasts.done(said, () => send(before, revision, () => {}))
    })
  }
  return { save, isBusy: change.isPending }
}
