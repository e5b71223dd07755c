import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { type ApiProblem, hasOtherProblems, problemOfField } from '../api/problem.ts'
import { useText } from '../text/text.ts'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { Dialog, type DialogSize } from './dialog.tsx'
import { ProblemNote } from './states.tsx'

/** The props of a form on a page or in a dialog. */
interface ChangeFormProps {
  /** The state of the change that the form sends. */
  readonly change: { readonly isPending: boolean; readonly error: ApiProblem | null }
  /** Fields that show their own problems; other problems are shown below the fields. */
  readonly fields: readonly string[]
  readonly onSubmit: () => void
  /** Renders the fields; `problemOf` is the gateway's message about a field. */
  readonly children: (problemOf: (field: string) => string | undefined) => ReactNode
}

interface PlacedFormProps extends ChangeFormProps {
  readonly id?: string
  /** The label of the submit button below the fields. */
  readonly submit?: string
  readonly isFixed?: boolean
  /** Shown below the fields instead of that button. */
  readonly actions?: ReactNode
  readonly className?: string
}

/** A form that sends its fields as one change. A refusal is shown beside its field, which gets the focus. */
export function ChangeForm({ change, fields, onSubmit, children, ...placed }: PlacedFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [isUnsaid, setIsUnsaid] = useState(false)
  const isNoted = change.error !== null && (isUnsaid || hasOtherProblems(change.error, fields))
  useEffect(() => {
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid=true]') ?? null
    // The field may be hidden by other choices.
    setIsUnsaid(change.error !== null && wrong === null)
    if (change.error !== null) wrong?.focus()
  }, [change.error])
  useEffect(() => {
    if (isNoted) form.current?.querySelector('[role=alert]')?.scrollIntoView({ block: 'nearest' })
  }, [isNoted])
  return (
    <form
      ref={form}
      id={placed.id}
      className={classNames('flex flex-col gap-5', placed.className)}
      onSubmit={(event) => {
        event.preventDefault()
        if (!change.isPending) onSubmit()
      }}
    >
      {children(problemOfField(change.error))}
      {isNoted && change.error !== null && <ProblemNote problem={change.error} />}
      {placed.actions}
      {placed.submit !== undefined && (
        <Button kind="primary" type="submit" className="self-start" disabled={placed.isFixed} busy={change.isPending}>
          {placed.submit}
        </Button>
      )}
    </form>
  )
}

interface FormDialogProps extends ChangeFormProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly size?: DialogSize
  /** The label of the submit button; the title by default. */
  readonly submit?: string
  readonly isFixed?: boolean
  readonly onClose: () => void
}

/** A form in a dialog, open while it is rendered, so that every opening starts with fresh state. */
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
