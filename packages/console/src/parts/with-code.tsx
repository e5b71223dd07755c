import { UntrustedText } from './untrusted-text.tsx'

/** A sentence, ours or a gateway’s; what is between backticks is something to type. */
export function WithCode({ children }: { readonly children: string }) {
  const pieces = children.split('`')
  // A backtick without its second is only a character.
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
