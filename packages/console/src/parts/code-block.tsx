import { Check, Copy, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useText } from '../text/text.ts'
import { IconButton } from './button.tsx'
import { UntrustedText } from './untrusted-text.tsx'

/** A block of code with a copy button. Safe for untrusted text. */
export function CodeBlock({
  text,
  what,
  most,
}: {
  readonly text: string
  readonly what: string
  readonly most?: number
}) {
  return (
    <div className="group relative min-w-0 rounded-xl border border-line bg-sunken">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that a keyboard can scroll it */}
      <pre
        className="max-h-96 overflow-auto p-3.5 pr-12 font-mono text-[13px] leading-relaxed whitespace-pre-wrap"
        tabIndex={0}
        aria-label={what}
      >
        <UntrustedText {...(most !== undefined && { most })}>{text}</UntrustedText>
      </pre>
      <div className="absolute top-1.5 right-1.5">
        <CopyButton text={text} what={what} />
      </div>
    </div>
  )
}

/** Copies a text to the clipboard and shows whether it worked. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const { common } = useText()
  const [outcome, setOutcome] = useState<'copied' | 'notCopied'>()
  useEffect(() => {
    if (outcome === undefined) return
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS[outcome])
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = (): void => void copyText(text).then((isDone) => setOutcome(isDone ? 'copied' : 'notCopied'))
  const Icon = ICONS[outcome ?? 'toCopy']
  return (
    <>
      <IconButton label={outcome === undefined ? common.copyOf(what) : common[outcome]} onClick={copy}>
        <Icon size={15} aria-hidden className={TONES[outcome ?? 'toCopy']} />
      </IconButton>
      <span role="status" className="sr-only">
        {outcome === undefined ? '' : common[outcome]}
      </span>
    </>
  )
}

/** An error takes longer to read. */
const SHOWN_MS = { copied: 2_000, notCopied: 6_000 }
const ICONS = { toCopy: Copy, copied: Check, notCopied: TriangleAlert }
const TONES = { toCopy: undefined, copied: 'text-good', notCopied: 'text-bad' }

/** Copies a text; false if it failed. Browsers offer the clipboard API only on `https:` and localhost. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text)
  }
}

/** The fallback for a remote gateway on `http:`. */
function copySelected(text: string): boolean {
  const back = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'fixed top-0 left-0 opacity-0'
  // An open dialog keeps the focus inside, so the field has to be in it.
  const place = back?.closest('[role=dialog]') ?? document.body
  place.append(field)
  field.select()
  try {
    // Deprecated, but the only API available there.
    return document.execCommand('copy')
  } finally {
    field.remove()
    if (back instanceof HTMLElement) back.focus()
  }
}
