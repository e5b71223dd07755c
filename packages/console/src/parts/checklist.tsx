import { Checkbox } from '@base-ui/react/checkbox'
import { Check } from 'lucide-react'
import { useId } from 'react'
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
  const id = useId()
  const toggle = (value: string, isChosen: boolean): void =>
    onChange(isChosen ? [...chosen, value] : chosen.filter((each) => each !== value))
  return (
    <div
      role="group"
      aria-label={label}
      className="flex max-h-56 flex-col gap-0.5 overflow-y-auto rounded-lg border border-line p-1.5"
    >
      {choices.map(({ value, label: name }) => (
        <label
          key={value}
          htmlFor={`${id}-${value}`}
          className="flex cursor-pointer items-center gap-2.5 rounded-md px-2 py-1.5 text-sm hover:bg-sunken"
        >
          <Checkbox.Root
            id={`${id}-${value}`}
            checked={chosen.includes(value)}
            onCheckedChange={(isChosen) => toggle(value, isChosen)}
            className="flex size-4.5 shrink-0 items-center justify-center rounded border border-line-strong bg-surface data-checked:border-accent data-checked:bg-accent"
          >
            <Checkbox.Indicator className="text-on-accent">
              <Check size={13} strokeWidth={3} aria-hidden />
            </Checkbox.Indicator>
          </Checkbox.Root>
          <UntrustedText>{name}</UntrustedText>
        </label>
      ))}
    </div>
  )
}
