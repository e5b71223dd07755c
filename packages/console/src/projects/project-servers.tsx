import { Link } from '@tanstack/react-router'
import type { AdminProject } from '@tooldex/contract/admin'
import { ArrowDown, ArrowUp, X } from 'lucide-react'
import { useChange } from '../api/change.ts'
import { useApi } from '../api/queries.ts'
import { Badge } from '../parts/badge.tsx'
import { IconButton } from '../parts/button.tsx'
import { SelectField } from '../parts/field.tsx'
import { useText } from '../text/text.ts'

/** The servers of a project, in order of priority. Every change is saved at once. */
export function ProjectServers({ project }: { readonly project: AdminProject }) {
  const { projects: words } = useText()
  const all = useApi('listServers', {}).data?.items ?? []
  const change = useChange('changeProject')
  const servers = project.config.servers ?? project.servers
  const isFixed = project.managedBy === 'file'
  const save = (next: readonly string[]): void =>
    change.mutate({ params: { project: project.id }, body: { servers: [...next] }, ifMatch: project.revision })
  const others = all.filter(({ id }) => !servers.includes(id))
  const nameOf = (id: string): string => all.find((server) => server.id === id)?.name ?? id
  return (
    <div className="flex flex-col gap-3 p-5">
      {servers.length === 0 ? (
        <p className="text-sm text-soft">{words.noServers}</p>
      ) : (
        <ol className="flex flex-col gap-1.5">
          {servers.map((id, place) => (
            <li key={id} className="flex items-center gap-2 rounded-lg border border-line px-3 py-1.5 text-sm">
              <span className="w-6 text-faint tabular-nums">{place + 1}</span>
              <Link
                to="/servers/$server"
                params={{ server: id }}
                className="min-w-0 flex-1 truncate font-medium hover:underline"
              >
                {nameOf(id)}
              </Link>
              {project.missingServers.includes(id) && <Badge tone="bad">{words.missing}</Badge>}
              <IconButton
                label={words.moveUp(nameOf(id))}
                disabled={isFixed || place === 0}
                onClick={() => save(swapped(servers, place, place - 1))}
              >
                <ArrowUp size={15} aria-hidden />
              </IconButton>
              <IconButton
                label={words.moveDown(nameOf(id))}
                disabled={isFixed || place === servers.length - 1}
                onClick={() => save(swapped(servers, place, place + 1))}
              >
                <ArrowDown size={15} aria-hidden />
              </IconButton>
              <IconButton
                label={words.takeOut(nameOf(id))}
                disabled={isFixed}
                onClick={() => save(servers.filter((each) => each !== id))}
              >
                <X size={15} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ol>
      )}
      {others.length > 0 && !isFixed && (
        <SelectField
          label={words.addServer}
          hideLabel
          value=""
          choices={[
            { value: '', label: words.addServer },
            ...others.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChoose={(id) => id !== '' && save([...servers, id])}
        />
      )}
    </div>
  )
}

function swapped(items: readonly string[], a: number, b: number): string[] {
  const next = [...items]
  const [first, second] = [items[a], items[b]]
  if (first !== undefined && second !== undefined) {
    next[a] = second
    next[b] = first
  }
  return next
}
