import { Fragment, type ReactNode } from 'react'
import { splitInvisible } from './invisible-characters.ts'

interface UntrustedTextProps {
  /** Text from a server, a model or a file. */
  readonly children: string
  /** Cut with an ellipsis beyond this many characters. */
  readonly most?: number
}

/**
 * Shows untrusted text as text only. Characters that hide, reorder or colour are shown by their code points, so that a
 * person sees what a model would read.
 */
export function UntrustedText({ children, most = 20_000 }: UntrustedTextProps): ReactNode {
  const isCut = children.length > most
  const pieces = splitInvisible(isCut ? children.slice(0, most) : children)
  return (
    <bdi className="wrap-anywhere">
      {pieces.map(({ text, isInvisible }, place) =>
        isInvisible ? (
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

/** A message with code between backticks. */
export function WithCode({ children }: { readonly children: string }) {
  const pieces = children.split('`')
  // A backtick without a partner is an ordinary character.
  if (pieces.length % 2 === 0) return <UntrustedText>{children}</UntrustedText>
  return pieces.map((piece, place) =>
    place % 2 === 1 ? (
      <code key={place} className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.92em] text-text">
        <UntrustedText>{piece}</UntrustedText>
      </code>
    ) : (
      <UntrustedText key={place}>{piece}</UntrustedText>
    ),
  )
}
