import { Check, Minus } from 'lucide-react'
import { classNames } from './class-names.ts'

/** Whether a chip is off, includes its matches, or excludes them. */
export type ChipState = 'true' | 'false' | undefined

interface ChipProps {
  readonly label: string
  readonly state: ChipState
  readonly onToggle: () => void
  readonly title?: string
}

/** A toggle button. Label, icon and colour show an exclusion. */
export function Chip({ label, state, onToggle, title }: ChipProps) {
  const Mark = state === 'false' ? Minus : Check
  return (
    <button
      type="button"
      aria-pressed={state !== undefined}
      onClick={onToggle}
      title={title}
      className={classNames(
        'inline-flex h-8 cursor-pointer items-center gap-1.5 rounded-full border px-3 text-[13px] font-medium whitespace-nowrap transition-colors',
        LOOKS[state ?? 'off'],
      )}
    >
      {state !== undefined && <Mark size={14} aria-hidden />}
      {label}
    </button>
  )
}

const LOOKS = {
  true: 'border-accent/40 bg-accent-soft text-accent-strong hover:border-accent',
  false: 'border-warn/40 bg-warn-soft text-warn hover:border-warn',
  off: 'border-line bg-surface text-soft hover:border-line-strong hover:text-text',
}
