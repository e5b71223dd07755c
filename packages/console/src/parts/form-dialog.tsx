import { type ReactNode, useId } from 'react'
import { useText } from '../text/text.ts'
import { Button } from './button.tsx'
import { ChangeForm, type ChangeFormProps } from './change-form.tsx'
import { Dialog, type DialogSize } from './dialog.tsx'

interface FormDialogProps extends ChangeFormProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly size?: DialogSize
  /** The verb of the button that sends it; the title where that is one. */
  readonly submit?: string
  readonly isFixed?: boolean
  readonly onClose: () => void
}

/** A dialog that is a form: open for as long as it is rendered, so that it is empty when it opens again. */
export function FormDialog({ title, lead, size, submit, isFixed, onClose, ...form }: FormDialogProps) {
  const { common } = useText()
  const id = useId()
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      {...(lead !== undefined && { lead })}
      {...(size !== undefined && { size })}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" form={id} busy={form.change.isPending} disabled={isFixed}>
            {submit ?? title}
          </Button>
        </>
      }
    >
      <ChangeForm id={id} {...form} />
    </Dialog>
  )
}
