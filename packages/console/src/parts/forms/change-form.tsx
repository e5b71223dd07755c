import type { AdminRouteId } from '@tooldex/contract/admin'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { type ApiProblem, hasOtherProblems, problemOfField } from '../../api/problem.ts'
import { type Text, useText } from '../../text/text.ts'
import { Button } from '../button.tsx'
import { classNames } from '../class-names.ts'
import { CancelButton, Dialog, type DialogSize } from '../dialog.tsx'
import type { Conflict } from './draft.ts'
import { LeaveGuard } from './leave-guard.tsx'
import { Guarded, useRefusal } from '../role.tsx'
import { ProblemNote } from '../states.tsx'
import { UntrustedText } from '../untrusted-text.tsx'
import type { EditForm } from './use-edit-form.ts'

/** The props of a form on a page or in a dialog. */
interface ChangeFormProps {
  /** The state of the change that the form sends. */
  readonly change: { readonly isPending: boolean; readonly error: ApiProblem | null }
  /** Whether something was typed; leaving asks then. Absent for forms that are no part of a page. */
  readonly isChanged?: boolean
  /** The fields that were changed here and elsewhere; nothing is sent before all are decided. */
  readonly conflicts?: ConflictNoteProps
  /** Fields that show their own problems; other problems are shown below the fields. */
  readonly fields: readonly string[]
  readonly onSubmit: () => void
  /** The operation that the form sends: without the role for it, the form is read-only. */
  readonly needs?: AdminRouteId | undefined
  /** Renders the fields; `problemOf` is the gateway's message about a field. */
  readonly children: (problemOf: (field: string) => string | undefined) => ReactNode
}

/** The props of a form that changes an entry. */
export function editing<Draft>(
  { change, isChanged, conflicts, decide, submit, needs }: EditForm<Draft>,
  nameOf: ConflictNoteProps['nameOf'],
  wordsOf: NonNullable<ConflictNoteProps['wordsOf']> = () => undefined,
) {
  return {
    ...{ change, isChanged, needs, onSubmit: submit },
    conflicts: { all: conflicts, nameOf, wordsOf, onDecide: decide },
  }
}

interface PlacedFormProps extends ChangeFormProps {
  readonly id?: string
  /** The label of the submit button below the fields. */
  readonly submit?: string
  readonly isFixed?: boolean
  /** The conflicts are shown elsewhere. */
  readonly isConflictShown?: boolean
  /** Shown below the fields instead of that button. */
  readonly actions?: ReactNode
  readonly className?: string
}

/** A form that sends its fields as one change. A refusal is shown beside its field, which gets the focus. */
export function ChangeForm({
  change,
  isChanged,
  conflicts,
  fields,
  onSubmit,
  needs,
  children,
  ...placed
}: PlacedFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const refusal = useRefusal(needs)
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
        if (!change.isPending && !hasConflicts(conflicts)) onSubmit()
      }}
    >
      <Guarded needs={needs}>
        {children(problemOfField(change.error))}
        {placed.isConflictShown !== true && <ConflictNote conflicts={conflicts} />}
        {isNoted && change.error !== null && <ProblemNote problem={change.error} />}
        {refusal === undefined && placed.actions}
      </Guarded>
      {placed.submit !== undefined && (
        <Button
          kind="primary"
          type="submit"
          className="self-start"
          disabled={placed.isFixed === true || hasConflicts(conflicts)}
          busy={change.isPending}
          needs={needs}
        >
          {placed.submit}
        </Button>
      )}
      {isChanged !== undefined && <LeaveGuard isChanged={isChanged} />}
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
          {/* The fields scroll; the reason why nothing can be saved stays beside the button. */}
          <div className="max-h-[40vh] w-full overflow-y-auto empty:hidden">
            <ConflictNote conflicts={form.conflicts} />
          </div>
          <CancelButton />
          <Button
            kind="primary"
            type="submit"
            form={id}
            busy={form.change.isPending}
            disabled={isFixed === true || hasConflicts(form.conflicts)}
            needs={form.needs}
          >
            {submit ?? title}
          </Button>
        </>
      }
    >
      <ChangeForm id={id} isConflictShown {...form} />
    </Dialog>
  )
}

interface ConflictNoteProps {
  readonly all: readonly Conflict[]
  readonly nameOf: (field: string) => string
  /** A value as text; by default as it is. */
  readonly wordsOf?: (field: string, value: unknown) => string | undefined
  readonly onDecide: (field: string, keep: 'mine' | 'theirs') => void
}

function hasConflicts(conflicts: ConflictNoteProps | undefined): boolean {
  return conflicts !== undefined && conflicts.all.length > 0
}

/** Both values of each field that was changed here and elsewhere, to choose one. */
function ConflictNote({ conflicts }: { readonly conflicts: ConflictNoteProps | undefined }) {
  const { common } = useText()
  const words = common.conflict
  if (conflicts === undefined || !hasConflicts(conflicts)) return null
  const { all, nameOf, wordsOf, onDecide } = conflicts
  return (
    <div role="alert" className="flex flex-col gap-3 rounded-xl border border-warn/30 bg-warn-soft px-4 py-3 text-sm">
      <p className="font-medium text-warn">{words.title}</p>
      {all.map(({ field, mine, theirs }) => (
        <div key={field} role="group" aria-label={nameOf(field)} className="flex flex-col gap-2">
          <span className="font-medium">{nameOf(field)}</span>
          {(['mine', 'theirs'] as const).map((side) => {
            const value = side === 'mine' ? mine : theirs
            return (
              <div key={side} className="flex flex-wrap items-center gap-2">
                <span className="w-24 shrink-0 text-[13px] text-soft">{words[side]}</span>
                <span className="min-w-0 flex-1 whitespace-pre-wrap">
                  <UntrustedText most={2_000}>{wordsOf?.(field, value) ?? plainValue(value, common)}</UntrustedText>
                </span>
                <Button size="small" onClick={() => onDecide(field, side)}>
                  {words.keep[side]}
                </Button>
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}

function plainValue(value: unknown, { yes, no, conflict }: Text['common']): string {
  if (value === undefined || value === '') return conflict.nothing
  if (typeof value === 'boolean') return value ? yes : no
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value)
}
