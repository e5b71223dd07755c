import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** A number with its name, linked to its page. */
export function Figure({
  label,
  value,
  note,
  to,
  search,
}: {
  readonly label: string
  readonly value: ReactNode
  readonly note?: ReactNode
  readonly to?: LinkProps['to']
  readonly search?: Readonly<Record<string, string>>
}) {
  const body = (
    <>
      <span className="text-[13px] text-soft">{label}</span>
      <span className="text-2xl font-semibold tracking-tight tabular-nums">{value}</span>
      {note !== undefined && <span className="text-[13px] text-faint">{note}</span>}
    </>
  )
  const look = 'flex min-w-0 flex-col gap-0.5 rounded-2xl border border-line bg-surface px-4 py-3.5'
  return to === undefined ? (
    <div className={look}>{body}</div>
  ) : (
    <Link
      to={to}
      {...(search !== undefined && { search })}
      className={`${look} transition-colors hover:border-line-strong`}
    >
      {body}
    </Link>
  )
}
