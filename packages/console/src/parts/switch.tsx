import type { AdminRouteId } from '@tooldex/contract/admin'
import { type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'
import { useRefusal } from './role.tsx'

interface SwitchProps {
  readonly label: ReactNode
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly hint?: ReactNode
  /** The problem; replaces the hint. */
  readonly problem?: string | undefined
  readonly disabled?: boolean
  /** The operation that it sends: without the role for it, it is disabled. */
  readonly needs?: AdminRouteId | undefined
}

/** A switch with its label and hint. */
export function Switch({ label, checked, onChange, hint, problem, disabled, needs }: SwitchProps) {
  const id = useId()
  const note = problem ?? hint
  return (
    <div className="flex items-start gap-3">
      <BareSwitch
        checked={checked}
        onChange={onChange}
        disabled={disabled}
        needs={needs}
        id={id}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        aria-invalid={problem === undefined ? undefined : true}
      />
      <div className="min-w-0 text-sm">
        <label htmlFor={id} className="cursor-pointer font-medium">
          {label}
        </label>
        {note !== undefined && (
          <div
            id={`${id}-note`}
            className={classNames(
              'mt-0.5 text-[13px]',
              problem === undefined ? 'text-faint' : 'text-bad first-letter:uppercase',
            )}
          >
            {note}
          </div>
        )}
      </div>
    </div>
  )
}

interface BareSwitchProps {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean | undefined
  readonly id?: string
  /** The reason why it is disabled. */
  readonly title?: string | undefined
  readonly needs?: AdminRouteId | undefined
  readonly 'aria-label'?: string
  readonly 'aria-describedby'?: string | undefined
  readonly 'aria-invalid'?: true | undefined
}

/** A switch without a label, for tables. A native button, so that thousands stay cheap. */
export function BareSwitch({ checked, onChange, needs, ...rest }: BareSwitchProps) {
  const refusal = useRefusal(needs)
  return (
    <button
      {...rest}
      {...(refusal !== undefined && { disabled: true, title: refusal })}
      type="button"
      role="switch"
      aria-checked={checked}
      onClick={() => onChange(!checked)}
      className="group mt-0.5 flex h-5 w-9 shrink-0 cursor-pointer rounded-full border border-line-strong bg-sunken p-0.5 transition-colors disabled:cursor-not-allowed disabled:opacity-55 aria-checked:border-accent aria-checked:bg-accent aria-invalid:border-bad"
    >
      <span className="size-3.5 rounded-full bg-line-strong transition-transform group-aria-checked:translate-x-4 group-aria-checked:bg-on-accent" />
    </button>
  )
}
