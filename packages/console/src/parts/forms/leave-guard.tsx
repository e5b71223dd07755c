import { useBlocker } from '@tanstack/react-router'
import { use, useEffect, useId } from 'react'
import { DialogContext, DiscardDialog } from '../dialog.tsx'

/** Asks before something is left, a page or the dialog around it, in which something was typed that is not saved. */
export function LeaveGuard({ isChanged }: { readonly isChanged: boolean }) {
  const id = useId()
  const dialog = use(DialogContext)
  const report = dialog?.report
  useEffect(() => {
    report?.(id, isChanged)
    return () => report?.(id, false)
  }, [report, id, isChanged])
  const { status, proceed, reset } = useBlocker({
    // An open dialog may be in the address itself.
    shouldBlockFn: ({ current, next }) => dialog !== undefined || current.pathname !== next.pathname,
    enableBeforeUnload: isChanged,
    disabled: !isChanged,
    withResolver: true,
  })
  return status === 'blocked' && <DiscardDialog onStay={reset} onDiscard={proceed} />
}
