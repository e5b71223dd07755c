import { useApi } from '../api/queries.ts'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'

/** The name of the default project, and the servers that it would lose: it has those that no other project has, unless it lists its own. */
export function useDefaultProject(): { readonly name: string; readonly loses: (server: string) => boolean } {
  const project = useApi('listProjects', {}).data?.items.find(({ id }) => id === 'default')
  return {
    name: project?.name ?? '',
    loses: (server) => project?.config.servers === undefined && project?.servers.includes(server) === true,
  }
}

/** Says before saving which servers the default project loses to another one. */
export function LeavesDefault({ servers }: { readonly servers: readonly string[] }) {
  const { projects: words } = useText()
  const all = useApi('listServers', {}).data?.items ?? []
  const { name, loses } = useDefaultProject()
  const leaving = servers.filter(loses)
  if (leaving.length === 0) return null
  const names = leaving.map((id) => all.find((server) => server.id === id)?.name ?? id)
  return (
    <p role="status" className="rounded-xl border border-warn/30 bg-warn-soft px-4 py-3 text-sm text-warn">
      <UntrustedText most={500}>{words.leavesDefault(name, names)}</UntrustedText>
    </p>
  )
}
