import { Fragment, type ReactNode } from 'react'
import { splitUnseen } from './unseen-characters.ts'

interface UntrustedTextProps {
  /** Words that a server, a model or a file chose. */
  readonly children: string
  /** Cut with an ellipsis beyond this many characters. */
  readonly most?: number
}

/**
 * Shows foreign text as text and nothing else. Characters that hide, reorder or colour are shown by their number, so
 * that a reader sees what a model would read.
 */
export function UntrustedText({ children, most = 20_000 }: UntrustedTextProps): ReactNode {
  const isCut = children.length > most
  const pieces = splitUnseen(isCut ? children.slice(0, most) : children)
  return (
    <bdi className="wrap-anywhere">
      {pieces.map(({ text, isUnseen }, place) =>
        isUnseen ? (
          <span
            key={place}
            className="mx-px rounded border border-warn/50 bg-warn-soft px-0.5 font-mono text-[0.8em] text-warn"
          >
            {text}
          </span>
        ) : (
          <Fragment key={place}>{text}</Fragment>
        ),
      )}
      {isCut && '…'}
    </bdi>
  )
}
