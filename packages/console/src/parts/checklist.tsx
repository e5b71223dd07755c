import { Checkbox } from '@base-ui/react/checkbox'
import { Check } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'
import { UntrustedText } from './untrusted-text.tsx'

interface Choice {
  readonly value: string
  readonly label: string
}

interface ChecklistProps {
  readonly label: string
  readonly choices: readonly Choice[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** A checklist below its label. */
export function ChecklistField(props: ChecklistProps) {
  return (
    <div className="flex flex-col gap-1.5">
      <span className="text-[13px] font-medium" aria-hidden>
        {props.label}
      </span>
      <Checklist {...props} />
    </div>
  )
}

/** A list of checkboxes. */
export function Checklist({ label, choices, chosen, onChange }: ChecklistProps) {
  const toggle = (value: string, isChosen: boolean): void =>
    onChange(isChosen ? [...chosen, value] : chosen.filter((each) => each !== value))
  return (
    <div
      role="group"
      aria-label={label}
      className="flex max-h-56 flex-col gap-0.5 overflow-y-auto rounded-lg border border-line p-1.5"
    >
      {choices.map(({ value, label: name }) => (
        <div key={value} className="flex rounded-md px-2 py-1.5 text-sm hover:bg-sunken">
          <CheckBox isChecked={chosen.includes(value)} onChange={(isChosen) => toggle(value, isChosen)}>
            <UntrustedText>{name}</UntrustedText>
          </CheckBox>
        </div>
      ))}
    </div>
  )
}

interface CheckBoxProps {
  readonly isChecked: boolean
  readonly onChange: (isChecked: boolean) => void
  readonly isDisabled?: boolean
  /** For screen readers, if the content alone does not say what is chosen. */
  readonly label?: string
  readonly children: ReactNode
}

/** A checkbox before its content. */
export function CheckBox({ isChecked, onChange, isDisabled = false, label, children }: CheckBoxProps) {
  const id = useId()
  return (
    <label
      htmlFor={id}
      className={classNames(
        'flex min-w-0 flex-1 items-center gap-2.5',
        isDisabled ? 'cursor-not-allowed' : 'cursor-pointer',
      )}
    >
      <Checkbox.Root
        id={id}
        {...(label !== undefined && { 'aria-label': label })}
        checked={isChecked}
        disabled={isDisabled}
        onCheckedChange={onChange}
        className="flex size-4.5 shrink-0 items-center justify-center rounded border border-line-strong bg-surface data-checked:border-accent data-checked:bg-accent data-disabled:opacity-55"
      >
        <Checkbox.Indicator className="text-on-accent">
          <Check size={13} strokeWidth={3} aria-hidden />
        </Checkbox.Indicator>
      </Checkbox.Root>
      {children}
    </label>
  )
}
