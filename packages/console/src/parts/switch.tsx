import { Switch as BaseSwitch } from '@base-ui/react/switch'
import { type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

interface SwitchProps {
  readonly label: ReactNode
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly hint?: ReactNode
  readonly disabled?: boolean
  readonly hideLabel?: boolean
}

/** On or off, at once. */
export function Switch({ label, checked, onChange, hint, disabled = false, hideLabel = false }: SwitchProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-3">
      <BaseSwitch.Root
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        aria-labelledby={`${id}-label`}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="mt-0.5 flex h-5 w-9 shrink-0 cursor-pointer rounded-full border border-line-strong bg-sunken p-0.5 transition-colors data-checked:border-accent data-checked:bg-accent data-disabled:cursor-not-allowed data-disabled:opacity-55"
      >
        <BaseSwitch.Thumb className="size-3.5 rounded-full bg-line-strong transition-transform data-checked:translate-x-4 data-checked:bg-on-accent" />
      </BaseSwitch.Root>
      <div className={classNames('min-w-0 text-sm', hideLabel && 'sr-only')}>
        <span id={`${id}-label`} className="font-medium">
          {label}
        </span>
        {hint !== undefined && (
          <div id={`${id}-hint`} className="mt-0.5 text-[13px] text-faint">
            {hint}
          </div>
        )}
      </div>
    </div>
  )
}
