import { Badge } from '../parts/badge.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'

/** The current name of a recorded id. A removed one is marked; a removed token's random id is not shown. */
export function EntryName({
  kind,
  id,
  name,
}: {
  readonly kind: 'token' | 'project' | 'endpoint'
  readonly id: string
  /** Absent if it was removed. */
  readonly name: string | undefined
}) {
  const { audit: words } = useText()
  if (name !== undefined) {
    return (
      <span title={words.idOf(id)}>
        <UntrustedText most={80}>{name}</UntrustedText>
      </span>
    )
  }
  return (
    <span className="inline-flex max-w-full items-center gap-2 text-faint" title={words.removedHint(id)}>
      {kind === 'token' ? (
        words.removedToken
      ) : (
        <>
          <UntrustedText most={80}>{id}</UntrustedText>
          <Badge>{words.removed}</Badge>
        </>
      )}
    </span>
  )
}
