import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AdminProject } from '@tooldex/contract/admin'
import { ArrowDown, ArrowUp, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useApi } from '../api/queries.ts'
import { changedIn, updateOptimistically } from '../api/optimistic-update.ts'
import { Badge } from '../parts/badge.tsx'
import { IconButton } from '../parts/button.tsx'
import { SelectField } from '../parts/field.tsx'
import { RoleNote, useRefusal } from '../parts/role.tsx'
import { useToasts } from '../parts/toasts.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useChange } from '../parts/forms/use-change.ts'
import { useText } from '../text/text.ts'
import { useDefaultProject } from './leaves-default.tsx'

/** The servers of a project, in order of priority. Every change is saved immediately. */
export function ProjectServers({ project }: { readonly project: AdminProject }) {
  const { projects: words } = useText()
  const all = useApi('listServers', {}).data?.items ?? []
  const { save, isBusy } = useProjectServers(project)
  const servers = project.config.servers ?? project.servers
  const refusal = useRefusal('changeProject')
  const isFixed = project.managedBy === 'file' || refusal !== undefined
  const others = all.filter(({ id }) => !servers.includes(id))
  const nameOf = (id: string): string => all.find((server) => server.id === id)?.name ?? id
  const keepFocus = useFocusAfterMove(servers)
  const fallback = useDefaultProject()
  const move = (from: number, to: number): void => {
    keepFocus()
    save(servers.toSpliced(from, 1).toSpliced(to, 0, servers[from] ?? ''))
  }
  return (
    <div className="flex flex-col gap-3 p-5">
      <RoleNote needs="changeProject" />
      {servers.length === 0 ? (
        <p className="text-sm text-soft">{words.noServers}</p>
      ) : (
        <ol className="-m-1 flex max-h-80 flex-col gap-1.5 overflow-y-auto p-1">
          {servers.map((id, place) => (
            <li
              key={id}
              className="flex min-h-11 shrink-0 items-center gap-2 rounded-lg border border-line px-3 py-1.5 text-sm"
            >
              <span className="w-6 text-faint tabular-nums">{place + 1}</span>
              <Link
                to="/servers/$server"
                params={{ server: id }}
                className="min-w-0 flex-1 truncate font-medium hover:underline"
              >
                <UntrustedText>{nameOf(id)}</UntrustedText>
              </Link>
              {project.missingServers.includes(id) && <Badge tone="bad">{words.missing}</Badge>}
              {!isFixed && (
                <>
                  <IconButton
                    label={words.moveUp(nameOf(id))}
                    busy={isBusy}
                    disabled={place === 0}
                    onClick={() => move(place, place - 1)}
                  >
                    <ArrowUp size={15} aria-hidden />
                  </IconButton>
                  <IconButton
                    label={words.moveDown(nameOf(id))}
                    busy={isBusy}
                    disabled={place === servers.length - 1}
                    onClick={() => move(place, place + 1)}
                  >
                    <ArrowDown size={15} aria-hidden />
                  </IconButton>
                  <IconButton
                    label={words.takeOut(nameOf(id))}
                    busy={isBusy}
                    onClick={() => save(servers.toSpliced(place, 1), words.tookOut(nameOf(id)))}
                  >
                    <X size={15} aria-hidden />
                  </IconButton>
                </>
              )}
            </li>
          ))}
        </ol>
      )}
      {others.length > 0 && !isFixed && (
        <SelectField
          label={words.addServer}
          hideLabel
          disabled={isBusy}
          value=""
          choices={[
            { value: '', label: words.addServer },
            ...others.map(({ id, name }) => ({
              value: id,
              label: project.id !== 'default' && fallback.loses(id) ? words.fromDefault(name, fallback.name) : name,
            })),
          ]}
          onChoose={(id) => id !== '' && save([...servers, id], words.putIn(nameOf(id)))}
        />
      )}
    </div>
  )
}

/** At either end of the list one arrow is disabled and loses the focus, so the other arrow takes it. */
function useFocusAfterMove(servers: readonly string[]): () => void {
  const pressed = useRef<HTMLButtonElement>(null)
  const order = servers.join('\n')
  useEffect(() => {
    const button = pressed.current
    pressed.current = null
    if (button === null) return
    const row = button.closest('li')
    if (button.disabled) row?.querySelector<HTMLElement>('button:enabled')?.focus()
    row?.scrollIntoView({ block: 'nearest' })
  }, [order])
  return () => {
    const { activeElement } = document
    pressed.current = activeElement instanceof HTMLButtonElement ? activeElement : null
  }
}

/** Changes the servers of a project: optimistic, rolled back with the reason if refused, and undoable. */
function useProjectServers(project: AdminProject) {
  const client = useQueryClient()
  const toasts = useToasts()
  const show = (changed: (shown: AdminProject) => AdminProject): (() => void) =>
    updateOptimistically(client, ['getProject', 'listProjects'], (answer) =>
      changedIn<AdminProject>(answer, (thing) => 'id' in thing && thing.id === project.id, changed),
    )
  const change = useChange('changeProject', {
    optimistic: ({ body }) => {
      const servers = [...(body?.servers ?? [])]
      return show((shown) => ({ ...shown, servers, config: { ...shown.config, servers } }))
    },
    // The next change is based on this revision.
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
  /** A message makes the change undoable. A move needs none: moving back undoes it. */
  const save = (servers: readonly string[], said?: string): void => {
    const before = project.config.servers ?? project.servers
    send(servers, project.revision, ({ revision }) => {
      if (said !== undefined) toasts.done(said, () => send(before, revision, () => {}))
    })
  }
  return { save, isBusy: change.isPending }
}
