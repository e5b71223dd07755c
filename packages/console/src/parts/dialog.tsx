import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import type { AdminRouteId } from '@tooldex/contract/admin'
import { Trash2, X } from 'lucide-react'
import { createContext, type ReactNode, use, useCallback, useRef, useState } from 'react'
import { useText } from '../text/text.ts'
import { Button, IconButton } from './button.tsx'
import { classNames } from './class-names.ts'

interface DialogProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  readonly lead?: ReactNode
  readonly children?: ReactNode
  /** The buttons; the primary one last. */
  readonly actions?: ReactNode
  readonly size?: DialogSize
}

const WIDTHS = { small: 'max-w-md', normal: 'max-w-xl', large: 'max-w-4xl' }

/** The maximum width of a dialog. */
export type DialogSize = keyof typeof WIDTHS

/** Marks the button, or its container, that gets the focus first in a dialog without fields. */
export const FIRST = { 'data-first': '' }

/** Whether the admin token is asked for in a dialog over this one. */
export const ProofAskedContext = createContext(false)

/** An open dialog, for what is in it. */
interface OpenDialog {
  /** Closes the dialog; asks first if something in it was typed and not saved. */
  readonly close: () => void
  /** Reports whether a form in the dialog has something unsaved. */
  readonly report: (form: string, isChanged: boolean) => void
}

/** The dialog around a component, if there is one. */
export const DialogContext = createContext<OpenDialog | undefined>(undefined)

/**
 * A modal dialog. Escape and a click outside close it; the focus returns to where it was. It stays open while the admin
 * token is asked for over it: a click there is outside of it. It asks before it discards what was typed.
 */
export function Dialog({ open, onClose, title, lead, children, actions, size = 'normal' }: DialogProps) {
  const { common } = useText()
  const popup = useRef<HTMLDivElement>(null)
  const isProofAsked = use(ProofAskedContext)
  const unsaved = useRef(new Set<string>())
  const [isAsking, setIsAsking] = useState(false)
  const close = (): void => (unsaved.current.size > 0 ? setIsAsking(true) : onClose())
  const report = useCallback((form: string, isChanged: boolean): void => {
    if (isChanged) unsaved.current.add(form)
    else unsaved.current.delete(form)
  }, [])
  return (
    <BaseDialog.Root open={open} onOpenChange={(isOpen) => !isOpen && !isProofAsked && close()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-black/40 backdrop-blur-[2px]" />
        <BaseDialog.Popup
          ref={popup}
          initialFocus={() => beginningOf(popup.current)}
          className={classNames(
            'fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-1.5rem)] -translate-x-1/2 -translate-y-1/2 animate-appear flex-col rounded-2xl border border-line bg-surface shadow-raised outline-none',
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
            <BaseDialog.Close render={<IconButton label={common.close} className="-my-1 -mr-1.5" />}>
              <X size={16} aria-hidden />
            </BaseDialog.Close>
          </header>
          <DialogContext value={{ close, report }}>
            {children !== undefined && (
              // Focusable for keyboard scrolling.
              <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4" tabIndex={-1}>
                {children}
              </div>
            )}
            {actions !== undefined && (
              <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3.5">{actions}</footer>
            )}
          </DialogContext>
          {isAsking && <DiscardDialog onStay={() => setIsAsking(false)} onDiscard={onClose} />}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}

/** Closes the dialog that it is in. */
export function CancelButton() {
  const { common } = useText()
  const dialog = use(DialogContext)
  return <Button onClick={() => dialog?.close()}>{common.cancel}</Button>
}

/** Asks whether what was typed may be discarded. */
export function DiscardDialog({ onStay, onDiscard }: { readonly onStay: () => void; readonly onDiscard: () => void }) {
  const { common } = useText()
  return (
    <Dialog
      open
      onClose={onStay}
      title={common.leave.title}
      lead={common.leave.lead}
      size="small"
      actions={
        <>
          <Button {...FIRST} onClick={onStay}>
            {common.leave.stay}
          </Button>
          <Button kind="destroy" onClick={onDiscard}>
            {common.leave.discard}
          </Button>
        </>
      }
    />
  )
}

/** The buttons of a dialog whose tabs have their own: sticky, so that they are always visible. */
export function DialogFoot({ children }: { readonly children: ReactNode }) {
  return (
    <div className="sticky -bottom-4 -mx-5 -mb-4 flex flex-wrap justify-end gap-2 rounded-b-2xl border-t border-line bg-surface px-5 py-3.5">
      {children}
    </div>
  )
}

/**
 * The element to focus first: the first field, else the marked one, else the close button. On touch screens the dialog
 * itself, because an on-screen keyboard would hide half of it.
 */
function beginningOf(popup: HTMLElement | null): HTMLElement | boolean {
  if (popup === null) return true
  if (matchMedia('(hover: none)').matches) return popup
  return popup.querySelector<HTMLElement>(FIELD) ?? popup.querySelector<HTMLElement>(MARKED) ?? true
}

const MARKED = 'button[data-first], [data-first] button'
const FIELD = ['input:not([aria-hidden])', 'textarea', 'select'].map((field) => `${field}:enabled`).join()

interface ConfirmProps {
  readonly open: boolean
  readonly onClose: () => void
  /** A question that names the entry. */
  readonly title: string
  /** The consequences, one sentence each. */
  readonly consequences: readonly ReactNode[]
  /** The label of the button. */
  readonly verb: string
  readonly onConfirm: () => void
  readonly busy?: boolean
}

/** Asks for confirmation of a change that cannot be undone, and lists its consequences. */
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
          <Button {...FIRST} onClick={onClose}>
            {common.cancel}
          </Button>
          <Button kind="destroy" onClick={onConfirm} busy={busy}>
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

interface RemovalProps {
  /** The label of the button, here and in the dialog. */
  readonly verb: string
  /** The operation that removes it. */
  readonly needs: AdminRouteId
  /** A question that names the entry. */
  readonly title: string
  /** The consequences, one sentence each. */
  readonly consequences: readonly ReactNode[]
  readonly isBusy: boolean
  readonly onConfirm: () => void
}

/** A button that removes something after a confirmation. */
export function Removal({ verb, needs, title, consequences, isBusy, onConfirm }: RemovalProps) {
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <Button kind="danger" needs={needs} icon={<Trash2 size={15} aria-hidden />} onClick={() => setIsAsking(true)}>
        {verb}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={title}
        consequences={consequences}
        verb={verb}
        busy={isBusy}
        onConfirm={onConfirm}
      />
    </>
  )
}
