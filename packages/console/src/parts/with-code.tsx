/** Our own words; what is between backticks is something to type. */
export function WithCode({ children }: { readonly children: string }) {
  return children.split('`').map((piece, place) =>
    place % 2 === 1 ? (
      <code key={place} className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.92em] text-text">
        {piece}
      </code>
    ) : (
      piece
    ),
  )
}
