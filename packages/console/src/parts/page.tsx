import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { useText } from '../text/text.ts'
import { classNames } from './class-names.ts'
import { plainText } from './invisible-characters.ts'

interface PageProps {
  readonly title: ReactNode
  /** The title of the browser tab, if `title` is not a string. */
  readonly tabTitle?: string
  readonly lead?: ReactNode
  /** The list page that it belongs to. */
  readonly among?: 'servers' | 'tools' | 'projects' | 'endpoints' | 'tokens'
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The layout of a page: title, actions and content. */
export function Page({ title, tabTitle, lead, among, actions, children }: PageProps) {
  const { common } = useText()
  const name = tabTitle ?? (typeof title === 'string' ? title : common.product)
  useEffect(() => {
    document.title = `${plainText(name)} · ${common.product}`
  }, [name, common.product])
  return (
    <div className="mx-auto flex w-full max-w-[132rem] flex-col gap-5 px-4 py-5 sm:px-7 sm:py-7">
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          {among !== undefined && (
            <Link
              to={`/${among}`}
              className="mb-0.5 -ml-1 inline-flex items-center gap-0.5 rounded text-[13px] text-soft hover:text-text"
            >
              <ChevronLeft size={15} aria-hidden />
              {common.pages[among]}
            </Link>
          )}
          <h1 className="text-[22px]/8 font-semibold tracking-tight wrap-anywhere">{title}</h1>
          {lead !== undefined && lead !== false && <div className="mt-1 max-w-3xl text-sm text-soft">{lead}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** A section of a page with its own background. */
export function Card({
  title,
  actions,
  children,
  className,
}: {
  readonly title?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
  readonly className?: string
}) {
  return (
    <section className={classNames('min-w-0 rounded-2xl border border-line bg-surface', className)}>
      {title !== undefined && (
        <header className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-5 py-3">
          <h2 className="text-sm font-semibold">{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  )
}
