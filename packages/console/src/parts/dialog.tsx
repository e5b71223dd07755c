import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useText } from '../text/text.ts'
import { Button, IconButton } from './button.tsx'
import { classNames } from './class-names.ts'

interface DialogProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  readonly lead?: ReactNode
  readonly children?: ReactNode
  /** Buttons; the main one last. */
  readonly actions?: ReactNode
  readonly size?: 'small' | 'normal' | 'large'
}

const WIDTHS = { small: 'max-w-md', normal: 'max-w-xl', large: 'max-w-4xl' }

/** Asks for something above the page. Escape and a click outside close it; the focus returns to where it was. */
export function Dialog({ open, onClose, title, lead, children, actions, size = 'normal' }: DialogProps) {
  const { common } = useText()
  return (
    <BaseDialog.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-black/40 backdrop-blur-[2px]" />
        <BaseDialog.Popup
          className={classNames(
            'fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-1.5rem)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-2xl border border-line bg-surface shadow-raised',
            WIDTHS[size],
          )}
        >
          <header className="flex items-start gap-4 border-b border-line px-5 py-4">
            <div className="min-w-0 flex-1">
              <BaseDialog.Title className="text-base font-semibold">{title}</BaseDialog.Title>
              {lead !== undefined && (
                <BaseDialog.Description className="mt-1 text-sm text-soft">{lead}</BaseDialog.Description>
              )}
            </div>
            <BaseDialog.Close render={<IconButton label={common.close} />}>
              <X size={16} aria-hidden />
            </BaseDialog.Close>
          </header>
          {children !== undefined && (
            // Focusable, so that a keyboard can scroll it.
            <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4" tabIndex={-1}>
              {children}
            </div>
          )}
          {actions !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3.5">{actions}</footer>
          )}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}

interface ConfirmProps {
  readonly open: boolean
  readonly onClose: () => void
  /** A question that names the thing. */
  readonly title: string
  /** What follows from it, one sentence each. */
  readonly consequences: readonly ReactNode[]
  /** The verb, on the button. */
  readonly verb: string
  readonly onConfirm: () => void
  readonly busy?: boolean
}

/** Asks before something that cannot be undone, and says what follows from it. */
export function ConfirmDialog({ open, onClose, title, consequences, verb, onConfirm, busy = false }: ConfirmProps) {
  const { common } = useText()
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      size="small"
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="danger" onClick={onConfirm} busy={busy}>
            {verb}
          </Button>
        </>
      }
    >
      <ul className="flex list-disc flex-col gap-1.5 pl-5 text-sm text-soft">
        {consequences.map((consequence, place) => (
          <li key={place}>{consequence}</li>
        ))}
      </ul>
    </Dialog>
  )
}
