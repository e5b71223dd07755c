import { Check, Copy, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useText } from '../text/text.ts'
import { IconButton } from './button.tsx'
import { copyText } from './copy-text.ts'

/** Puts a text on the clipboard and says so, or that it could not. */
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

/** What went wrong takes longer to read. */
const SHOWN_MS = { copied: 2_000, notCopied: 6_000 }
const ICONS = { toCopy: Copy, copied: Check, notCopied: TriangleAlert }
const TONES = { toCopy: undefined, copied: 'text-good', notCopied: 'text-bad' }
