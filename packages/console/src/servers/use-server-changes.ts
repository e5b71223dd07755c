import { useQueryClient } from '@tanstack/react-query'
import type { AdminServer } from '@tooldex/contract/admin'
import { useNavigate } from '@tanstack/react-router'
import { useChange } from '../parts/forms/use-change.ts'
import { changedIn, updateOptimistically } from '../api/optimistic-update.ts'
import { useText } from '../text/text.ts'

/** The one-click changes of a server. */
export function useServerChanges(server: Pick<AdminServer, 'id' | 'name'>) {
  const { servers: words } = useText()
  const navigate = useNavigate()
  const client = useQueryClient()
  const params = { server: server.id }
  const shownAs = (enabled: boolean) => (): (() => void) =>
    updateOptimistically(client, ['listServers', 'getServer'], (answer) =>
      changedIn(
        answer,
        (thing) => 'id' in thing && thing.id === server.id,
        (shown) => ({ ...shown, enabled }),
      ),
    )
  const enableAgain = useChange('enableServer', {
    optimistic: shownAs(true),
    done: () => words.enabled(server.name),
  })
  const disable = useChange('disableServer', {
    optimistic: shownAs(false),
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
