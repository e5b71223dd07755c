import type { AdminRouteId } from '@tooldex/contract/admin'
import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { useRefusal } from './role.tsx'

const KINDS = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent',
  plain: 'bg-surface text-text border-line hover:border-line-strong hover:bg-sunken',
  quiet: 'bg-transparent text-soft border-transparent hover:bg-sunken hover:text-text',
  danger: 'bg-surface text-bad border-bad/40 hover:bg-bad-soft',
  /** The confirmation of a removal. */
  destroy: 'bg-bad text-surface border-transparent hover:bg-bad/90',
} as const

const SIZES = {
  small: 'h-8 px-2.5 text-[13px]',
  normal: 'h-9.5 px-3.5 text-sm',
  icon: 'size-8',
} as const

/** The look of a button; at most one `primary` is visible at a time. */
export type ButtonKind = keyof typeof KINDS

interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: ButtonKind
  readonly size?: keyof typeof SIZES
  readonly icon?: ReactNode
  /** Shows progress and ignores clicks. */
  readonly busy?: boolean
  /** The operation that it starts: the button is not there without the role for it. */
  readonly needs?: AdminRouteId | undefined
}

/** A button. */
export function Button({
  kind = 'plain',
  size = 'normal',
  icon,
  busy = false,
  needs,
  className,
  children,
  ...rest
}: ButtonProps) {
  const refusal = useRefusal(needs)
  if (refusal !== undefined) return null
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy}
      aria-disabled={busy || rest['aria-disabled']}
      onClick={busy ? undefined : rest.onClick}
      className={classNames(
        'inline-flex shrink-0 cursor-pointer items-center justify-center gap-1.5 rounded-lg border font-medium whitespace-nowrap transition-colors',
        'disabled:cursor-not-allowed disabled:opacity-55 aria-busy:cursor-progress aria-busy:opacity-70',
        SIZES[size],
        KINDS[kind],
        className,
      )}
    >
      {icon}
      {children}
    </button>
  )
}

/** A button with an icon only; screen readers and tooltips show its label. */
export function IconButton({ label, className, ...rest }: Omit<ButtonProps, 'icon'> & { readonly label: string }) {
  return <Button kind="quiet" size="icon" {...rest} aria-label={label} title={label} className={className} />
}
