import type { AdminServer } from '@tooldex/contract/admin'
import { LogIn, Power, PowerOff, RotateCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { ApiProblem } from '../api/problem.ts'
import { ConfirmDialog } from '../parts/dialog.tsx'
import { MoreMenu } from '../parts/menu.tsx'
import { useToasts } from '../parts/toasts.tsx'
import { useText } from '../text/text.ts'
import { useServerChanges } from './use-server-changes.ts'

/** What can be done with a server. What a file declares is changed there. */
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
            ? [{ label: words.login, icon: <LogIn size={15} aria-hidden />, onChoose: logIn }]
            : []),
          {
            label: words.restart,
            icon: <RotateCw size={15} aria-hidden />,
            onChoose: () => restart.mutate({ params }),
            isDisabled: !server.enabled,
          },
          server.enabled
            ? {
                label: words.disable,
                icon: <PowerOff size={15} aria-hidden />,
                onChoose: () => disable.mutate({ params }),
                isDisabled: isFixed,
              }
            : {
                label: words.enable,
                icon: <Power size={15} aria-hidden />,
                onChoose: () => enable.mutate({ params }),
                isDisabled: isFixed,
              },
          {
            label: words.remove,
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

/** Opens the page where a person logs in. Only http and https: the address comes from a foreign server. */
export function useLogIn(server: string): () => void {
  const toasts = useToasts()
  return () =>
    void call('loginServer', { params: { server } })
      .then(({ loginUrl }) => {
        if (/^https?:/.test(loginUrl)) window.open(loginUrl, '_blank', 'noopener,noreferrer')
      })
      .catch((problem: unknown) => toasts.problem(problem as ApiProblem))
}
