import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { type ApiProblem, problemText } from '../api/problem.ts'
import { useText } from '../text/text.ts'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { UntrustedText, WithCode } from './untrusted-text.tsx'

/** Shown in place of an empty list: the reason, and the next step. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  readonly icon?: ReactNode
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-14 text-center">
      {icon !== undefined && <div className="rounded-2xl bg-accent-soft p-3 text-accent">{icon}</div>}
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="max-w-md text-sm text-soft">{children}</div>}
      {action}
    </div>
  )
}

/** A placeholder while something loads. */
export function Skeleton({ className }: { readonly className?: string }) {
  return (
    <div
      aria-hidden
      data-loading=""
      className={classNames('animate-pulse rounded-lg bg-line/70', className ?? 'h-5 w-full')}
    />
  )
}

/** Placeholder rows, announced once to screen readers. */
export function SkeletonRows({ rows = 6 }: { readonly rows?: number }) {
  const { common } = useText()
  return (
    <div role="status" className="flex flex-col gap-3 p-5">
      <span className="sr-only">{common.loading}</span>
      {Array.from({ length: rows }, (_unused, row) => (
        <Skeleton key={row} className="h-9 w-full" />
      ))}
    </div>
  )
}

/** An error, with its details and a retry button. */
export function ProblemNote({ problem, onRetry }: { readonly problem: ApiProblem; readonly onRetry?: () => void }) {
  const { common } = useText()
  const details = problem.problem.problems ?? []
  return (
    <div
      role="alert"
      className="flex items-start gap-3 rounded-xl border border-bad/30 bg-bad-soft px-4 py-3 text-sm text-bad"
    >
      <CircleAlert size={18} className="mt-px shrink-0" aria-hidden />
      <div className="min-w-0 flex-1 wrap-anywhere">
        <p className="font-medium">
          <WithCode>{problemText(problem, common)}</WithCode>
        </p>
        {details.length > 0 && (
          <ul className="mt-1 list-disc pl-4">
            {details.map(({ path, message }) => (
              <li key={`${path} ${message}`}>
                <UntrustedText>{path === '' ? message : `${path}: ${message}`}</UntrustedText>
              </li>
            ))}
          </ul>
        )}
      </div>
      {onRetry !== undefined && (
        <Button size="small" onClick={onRetry}>
          {common.retry}
        </Button>
      )}
    </div>
  )
}

/** The result of a query: data or an error. */
export interface Answer<Value> {
  readonly data: Value | undefined
  readonly error: ApiProblem | null
  refetch(): unknown
}

/** Shows the data, a skeleton while it loads, or the error. Data that was shown stays visible. */
export function Loaded<Value>({
  answer,
  skeleton,
  children,
}: {
  readonly answer: Answer<Value>
  readonly skeleton?: ReactNode
  readonly children: (value: Value) => ReactNode
}) {
  if (answer.data !== undefined) return children(answer.data)
  if (answer.error !== null) {
    return (
      <div className="in-[section]:p-5">
        <ProblemNote
          problem={answer.error}
          // A retry does not help if it was not found.
          {...(answer.error.status !== 404 && { onRetry: () => void answer.refetch() })}
        />
      </div>
    )
  }
  return skeleton ?? <SkeletonRows />
}
