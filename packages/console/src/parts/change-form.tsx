import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { type ApiProblem, hasOtherProblems, problemOfField } from '../api/problem.ts'
import { useText } from '../text/text.ts'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { Dialog, type DialogSize } from './dialog.tsx'
import { ProblemNote } from './states.tsx'

/** What a form says of itself, wherever it stands. */
interface ChangeFormProps {
  /** The change that it sends: whether it is under way, and why it was refused. */
  readonly change: { readonly isPending: boolean; readonly error: ApiProblem | null }
  /** Fields that say by themselves what is wrong with them; the rest is said below them. */
  readonly fields: readonly string[]
  readonly onSubmit: () => void
  /** The fields; handed what the gateway said of each. */
  readonly children: (problemOf: (field: string) => string | undefined) => ReactNode
}

interface PlacedFormProps extends ChangeFormProps {
  readonly id?: string
  /** The verb of the button below the fields. */
  readonly submit?: string
  readonly isFixed?: boolean
  /** What is below the fields instead of that button. A dialog has its buttons elsewhere. */
  readonly actions?: ReactNode
  readonly className?: string
}

/** Fields that are sent as one change. A refusal is said beside the field that it is about, and the field is gone to. */
export function ChangeForm({ change, fields, onSubmit, children, ...placed }: PlacedFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [isUnsaid, setIsUnsaid] = useState(false)
  const isNoted = change.error !== null && (isUnsaid || hasOtherProblems(change.error, fields))
  useEffect(() => {
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid=true]') ?? null
    // The field may be one that other choices have hidden.
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
