import { Check, Minus } from 'lucide-react'
import { classNames } from '../parts/class-names.ts'

/** Whether a filter is off, asks for what fits, or for what does not. */
export type ChipState = 'true' | 'false' | undefined

/** A filter that is switched on and off. One that asks for the contrary comes from an address, and says so. */
export function FilterChip({
  label,
  state,
  onToggle,
}: {
  readonly label: string
  readonly state: ChipState
  readonly onToggle: () => void
}) {
  const isOn = state !== undefined
  const Mark = state === 'false' ? Minus : Check
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onToggle}
      className={classNames(
        'inline-flex h-8 cursor-pointer items-center gap-1.5 rounded-full border px-3 text-[13px] font-medium whitespace-nowrap transition-colors',
        isOn
          ? 'border-accent/40 bg-accent-soft text-accent-strong hover:border-accent'
          : 'border-line bg-surface text-soft hover:border-line-strong hover:text-text',
      )}
    >
      {isOn && <Mark size={14} aria-hidden />}
      {label}
    </button>
  )
}
