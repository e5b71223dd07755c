import type { ReactNode } from 'react'
import { useText } from '../text/text.ts'
import { classNames } from './class-names.ts'

const TONES = {
  neutral: 'bg-sunken text-soft border-line',
  accent: 'bg-accent-soft text-accent-strong border-accent/25',
  good: 'bg-good-soft text-good border-good/25',
  warn: 'bg-warn-soft text-warn border-warn/25',
  bad: 'bg-bad-soft text-bad border-bad/25',
} as const

/** The colour of a state. The text names the state too. */
export type Tone = keyof typeof TONES

/** A short label. */
export function Badge({
  tone = 'neutral',
  children,
  title,
}: {
  readonly tone?: Tone
  readonly children: ReactNode
  readonly title?: string
}) {
  return (
    <span
      title={title}
      className={classNames(
        'inline-flex h-5.5 w-fit shrink-0 items-center gap-1.5 rounded-full border px-2 text-xs font-medium whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  )
}

/** A badge with a dot, for states. */
export function StateBadge({
  tone,
  children,
  title,
}: {
  readonly tone: Tone
  readonly children: ReactNode
  readonly title?: string
}) {
  return (
    <Badge tone={tone} {...(title !== undefined && { title })}>
      <span className="size-1.5 rounded-full bg-current" aria-hidden />
      {children}
    </Badge>
  )
}

interface Managed {
  readonly managedBy: 'store' | 'file' | 'built-in'
  readonly file?: string | undefined
}

/** Marks an entry that a file declares, so that it cannot be changed here. */
export function FileBadge({ entry }: { readonly entry: Managed }) {
  const { common } = useText()
  if (entry.managedBy !== 'file') return null
  return <Badge title={common.managedByFile(entry.file ?? 'tooldex.json')}>{common.fileManaged}</Badge>
}

/** The same as a sentence, in place of a form. */
export function FileNote({ entry }: { readonly entry: Managed }) {
  const { common } = useText()
  if (entry.managedBy !== 'file') return null
  return (
    <p className="rounded-xl border border-line bg-sunken px-4 py-3 text-sm text-soft">
      {common.managedByFile(entry.file ?? 'tooldex.json')}
    </p>
  )
}
