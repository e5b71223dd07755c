import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useText } from '../text/text.ts'
import { Button, IconButton } from './button.tsx'

/** Puts a text on the clipboard and says so. */
export function CopyButton({
  text,
  what,
  withWords = false,
}: {
  readonly text: string
  readonly what: string
  readonly withWords?: boolean
}) {
  const { common } = useText()
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (): void => void navigator.clipboard.writeText(text).then(() => setIsCopied(true))
  const icon = isCopied ? <Check size={15} className="text-good" aria-hidden /> : <Copy size={15} aria-hidden />
  const label = isCopied ? common.copied : common.copyOf(what)
  return (
    <>
      {withWords ? (
        <Button size="small" icon={icon} onClick={copy} aria-label={label}>
          {isCopied ? common.copied : common.copy}
        </Button>
      ) : (
        <IconButton label={label} onClick={copy}>
          {icon}
        </IconButton>
      )}
      <span role="status" className="sr-only">
        {isCopied ? common.copied : ''}
      </span>
    </>
  )
}
