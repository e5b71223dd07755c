import type { AdminServer } from '@tooldex/contract/admin'
import { useNavigate } from '@tanstack/react-router'
import { useChange } from '../api/change.ts'
import { useText } from '../text/text.ts'

/** What can be done with a server in one click. */
export function useServerChanges(server: Pick<AdminServer, 'id' | 'name'>) {
  const { servers: words } = useText()
  const navigate = useNavigate()
  const params = { server: server.id }
  const enableAgain = useChange('enableServer', { done: () => words.enabled(server.name) })
  const disable = useChange('disableServer', {
    done: () => words.disabled(server.name),
    undo: () => () => enableAgain.mutate({ params }),
  })
  const restart = useChange('restartServer', { done: () => words.restarted(server.name), touches: 'server' })
  const remove = useChange('removeServer', {
    done: () => words.removed(server.name),
    onDone: () => void navigate({ to: '/servers' }),
  })
  return { enable: enableAgain, disable, restart, remove, params }
}
