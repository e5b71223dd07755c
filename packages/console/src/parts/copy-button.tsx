import { Check, Copy, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useText } from '../text/text.ts'
import { Button, type ButtonKind, IconButton } from './button.tsx'
import { copyText } from './copy-text.ts'

/** Puts a text on the clipboard and says so, or that it could not. */
export function CopyButton({
  text,
  what,
  withWords = false,
  kind = 'plain',
}: {
  readonly text: string
  readonly what: string
  readonly withWords?: boolean
  readonly kind?: ButtonKind
}) {
  const { common } = useText()
  const [outcome, setOutcome] = useState<'copied' | 'notCopied'>()
  useEffect(() => {
    if (outcome === undefined) return
    const timer = setTimeout(() => setOutcome(undefined), outcome === 'copied' ? 2_000 : 6_000)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = (): void => void copyText(text).then((isDone) => setOutcome(isDone ? 'copied' : 'notCopied'))
  const Icon = ICONS[outcome ?? 'toCopy']
  const icon = <Icon size={15} aria-hidden className={kind === 'primary' ? undefined : TONES[outcome ?? 'toCopy']} />
  const label = outcome === undefined ? common.copyOf(what) : common[outcome]
  return (
    <>
      {withWords ? (
        <Button kind={kind} icon={icon} onClick={copy} aria-label={label}>
          {outcome === undefined ? common.copy : common[outcome]}
        </Button>
      ) : (
        <IconButton label={label} onClick={copy}>
          {icon}
        </IconButton>
      )}
      <span role="status" className="sr-only">
        {outcome === undefined ? '' : common[outcome]}
      </span>
    </>
  )
}

const ICONS = { toCopy: Copy, copied: Check, notCopied: TriangleAlert }
const TONES = { toCopy: undefined, copied: 'text-good', notCopied: 'text-bad' }
