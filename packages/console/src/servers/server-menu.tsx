import { Menu as BaseMenu } from '@base-ui/react/menu'
import { type AdminRouteId, type AdminServer, mayUse } from '@tooldex/contract/admin'
import { Ellipsis, LogIn, Power, PowerOff, RotateCw, Trash2 } from 'lucide-react'
import { type ReactNode, use, useState } from 'react'
import { call } from '../api/call.ts'
import type { ApiProblem } from '../api/problem.ts'
import { IconButton } from '../parts/button.tsx'
import { classNames } from '../parts/class-names.ts'
import { ConfirmDialog } from '../parts/dialog.tsx'
import { RoleContext } from '../parts/role.tsx'
import { useToasts } from '../parts/toasts.tsx'
import { useText } from '../text/text.ts'
import { useServerChanges } from './use-server-changes.ts'

/** The actions for a server. A server that a file declares cannot be changed here. */
export function ServerMenu({ server }: { readonly server: AdminServer }) {
  const { servers: words } = useText()
  const [isRemoving, setIsRemoving] = useState(false)
  const { enable, disable, restart, remove, params } = useServerChanges(server)
  const logIn = useLogIn(server.id)
  const isFixed = server.managedBy === 'file'
  return (
    <>
      <MoreMenu
        label={`${words.name} ${server.name}`}
        items={[
          ...(server.status?.state === 'needs-login'
            ? [
                {
                  label: words.login,
                  needs: 'loginServer' as const,
                  icon: <LogIn size={15} aria-hidden />,
                  onChoose: logIn,
                },
              ]
            : []),
          {
            label: words.restart,
            needs: 'restartServer',
            icon: <RotateCw size={15} aria-hidden />,
            onChoose: () => restart.mutate({ params }),
            isDisabled: !server.enabled,
          },
          server.enabled
            ? {
                label: words.disable,
                needs: 'disableServer',
                icon: <PowerOff size={15} aria-hidden />,
                onChoose: () => disable.mutate({ params }),
                isDisabled: isFixed,
              }
            : {
                label: words.enable,
                needs: 'enableServer',
                icon: <Power size={15} aria-hidden />,
                onChoose: () => enable.mutate({ params }),
                isDisabled: isFixed,
              },
          {
            label: words.remove,
            needs: 'removeServer',
            icon: <Trash2 size={15} aria-hidden />,
            onChoose: () => setIsRemoving(true),
            isDangerous: true,
            isDisabled: isFixed,
          },
        ]}
      />
      <ConfirmDialog
        open={isRemoving}
        onClose={() => setIsRemoving(false)}
        title={words.removeTitle(server.name)}
        consequences={words.removeConsequences(server.counts.tools, server.projects)}
        verb={words.remove}
        busy={remove.isPending}
        onConfirm={() => remove.mutate({ params, ifMatch: server.revision }, { onSettled: () => setIsRemoving(false) })}
      />
    </>
  )
}

/** Opens the login page. Only http and https, because the URL comes from an untrusted server. */
export function useLogIn(server: string): () => void {
  const toasts = useToasts()
  return () =>
    void call('loginServer', { params: { server } })
      .then(({ loginUrl }) => {
        if (/^https?:/.test(loginUrl)) window.open(loginUrl, '_blank', 'noopener,noreferrer')
      })
      .catch((problem: unknown) => toasts.problem(problem as ApiProblem))
}

interface MenuItem {
  readonly label: string
  readonly needs: AdminRouteId
  readonly icon?: ReactNode
  readonly onChoose: () => void
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
}

/** A menu of the actions that the role allows. */
function MoreMenu({ items, label }: { readonly items: readonly MenuItem[]; readonly label?: string }) {
  const { common } = useText()
  const role = use(RoleContext)
  const allowed = items.filter(({ needs }) => mayUse(role, needs))
  if (allowed.length === 0) return null
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger render={<IconButton label={label ?? common.more} />}>
        <Ellipsis size={16} aria-hidden />
      </BaseMenu.Trigger>
      <BaseMenu.Portal>
        <BaseMenu.Positioner align="end" sideOffset={4} className="z-50">
          <BaseMenu.Popup className="min-w-44 animate-appear rounded-xl border border-line bg-surface p-1 text-sm shadow-raised">
            {allowed.map((item) => (
              <BaseMenu.Item
                key={item.label}
                onClick={item.onChoose}
                disabled={item.isDisabled ?? false}
                className={classNames(
                  'flex cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 outline-none data-disabled:cursor-not-allowed data-disabled:opacity-50 data-highlighted:bg-sunken',
                  item.isDangerous === true && 'text-bad',
                )}
              >
                {item.icon}
                {item.label}
              </BaseMenu.Item>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  )
}
